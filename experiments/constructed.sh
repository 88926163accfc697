#!/bin/sh
# Write the outputs of docs/results/constructed.md for Yelp's test set into workspace/constructed. Run it in the
# repository's folder after `smlm-exp run experiments/yelp.toml`, whose masked sentences it fills.
set -eu

masked=$(ls -d workspace/stages/transfer/* | head -1) made=workspace/constructed yelp=../shared/data/yelp
mkdir -p $made
sed 's/<mask>/great/g' $masked/masked.0.txt >$made/OneWord.0.txt
sed 's/<mask>/horrible/g' $masked/masked.1.txt >$made/OneWord.1.txt
for s in 0 1; do
  sed 's/<mask>/the/g' $masked/masked.$s.txt >$made/The.$s.txt
  cp $yelp/test.$s.txt $made/Copied.$s.txt
  awk 'BEGIN { srand(1) } { for (i = NF; i > 1; i--) { j = int(rand() * i) + 1; w = $i; $i = $j; $j = w } print }' \
    $yelp/test.$s.txt >$made/Shuffled.$s.txt
done

# Systems that delete: by how much each word of the training text speaks for a style.
cat >workspace/shorten.awk <<'END'
FILENAME == ARGV[1] { for (i = 1; i <= NF; i++) { own[$i]++; n++ } next }
FILENAME == ARGV[2] { for (i = 1; i <= NF; i++) { other[$i]++; m++ } next }
function odds(w) { return log((own[w] + 1) / n) - log((other[w] + 1) / m) } # how much it speaks for the source's style
function most() { at = 0; for (i = 1; i <= NF; i++) if (!out[i] && (!at || odds($i) > odds($at))) at = i; return at }
function put(name, text) { print text >(made "/" name "." s ".txt") }
function left(i, t) { for (i = 1; i <= NF; i++) if (!out[i]) t = t (t == "" ? "" : " ") $i; return t }
function cut(share) { split("", out); for (k = 0; k < NF / share; k++) out[most()] = 1 }
function widen() {
  for (i = 1; i <= NF; i++) wide[i] = out[i - 1] || out[i] || out[i + 1]
  for (i = 1; i <= NF; i++) out[i] = wide[i]
}
{
  put("FirstTwo", $1 " " $2)
  split("", out); for (i = 1; i <= NF; i++) out[i] = odds($i) >= 0; put("Liked", left())
  cut(5); put("Cut", left()); widen(); put("CutWide", left())
  cut(7); widen(); put("CutNear", left())
  split("", out); sum = 0; for (i = 1; i <= NF; i++) sum += odds($i)
  for (k = NF; sum > 0 && k > 1; k--) { sum -= odds($most()); out[at] = 1 } put("CutUntil", left())
  at = 1; for (i = 2; i < NF; i++) if (odds($i) + odds($(i + 1)) < odds($at) + odds($(at + 1))) at = i
  put("Verdict", $at " " $(at + 1) " " verdict[FNR % split(verdicts, verdict, ",") + 1] " .")
  put("OneSentence", s == 0 ? "i love it ." : "i hate it .")
}
END
good="is great,was excellent,were delicious,is amazing,are wonderful,was perfect,is awesome,was fantastic"
bad="is terrible,was horrible,were awful,is disgusting,are rude,was bland,is bad,was gross"
for s in 0 1; do
  [ $s = 0 ] && verdicts=$good || verdicts=$bad
  LC_ALL=C awk -v s=$s -v made=$made -v verdicts="$verdicts" -f workspace/shorten.awk \
    $yelp/train.$s.txt $yelp/train.$((1 - s)).txt $yelp/test.$s.txt
done
