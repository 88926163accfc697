package corpus

// MaskToken is how a masked word is written in text.
const MaskToken = "<mask>"
