package wording

import "testing"

func TestWording(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Choice([]string{}), ""},
		{Choice([]string{"a"}), `"a"`},
		{Choice([]string{"a", "b", "c"}), `"a", "b" or "c"`},
		{DidYouMean("lamda", []string{"dim", "lambda"}), `, did you mean "lambda"?`},
		{DidYouMean("zebra", []string{"dim", "lambda"}), ""},
		{Count(1, "stage"), "1 stage"},
		{Count(0, "stage"), "0 stages"},
		{FirstLine("a\nb"), "a"},
		{FirstLine(""), ""},
		{Clip("größer", 6), "größer"},
		{Clip("größerer", 6), "größe…"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
