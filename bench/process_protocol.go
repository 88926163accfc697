package main

// request is one line from the parent to a worker.
type request struct {
	// hello, prepare, run, losses, evaluate, outputs, save, memory; ours auto, theirs denormals
	Do      string     `json:"do"`
	Case    *benchCase `json:"case,omitempty"`
	N       int        `json:"n,omitempty"`       // run: steps, passes or scores; losses: steps; auto: threads
	Path    []string   `json:"path,omitempty"`    // save: files of weights, as Case.Weights
	Without string     `json:"without,omitempty"` // ours: the kernel that is off meanwhile
}

// reply is a worker's one line for a request.
type reply struct {
	Error string `json:"error,omitempty"`

	// hello
	Torch   string `json:"torch,omitempty"` // version
	Threads int    `json:"threads,omitempty"`
	CPU     string `json:"cpu,omitempty"`  // instruction set libtorch chose
	BF16    bool   `json:"bf16,omitempty"` // ours: the CPU multiplies bfloat16 in hardware, and no switch forbids it

	Auto []precisionChoice `json:"auto,omitempty"` // auto: what precision = "auto" comes to for each model

	// denormals: how many numbers of a step, and how many of them are denormal
	Numbers   int `json:"numbers,omitempty"`
	Denormals int `json:"denormals,omitempty"`

	Steps   int     `json:"steps,omitempty"`   // prepare: batches of an epoch
	Seconds float64 `json:"seconds,omitempty"` // run: of these steps alone
	Words   int     `json:"words,omitempty"`   // run: words trained on

	// run, ours: processor time of all threads, in seconds
	Processor float64 `json:"processor,omitempty"`

	Value   float64   `json:"value,omitempty"`  // run: BLEU-4 in percent
	Losses  []float64 `json:"losses,omitempty"` // losses, evaluate
	Outputs [][]int64 `json:"outputs,omitempty"`
	Each    []float64 `json:"each,omitempty"` // run of the task products: seconds of every product

	// memory, in bytes
	Peak     int64 `json:"peak,omitempty"`
	Resident int64 `json:"resident,omitempty"`
	Live     int   `json:"live,omitempty"` // ours: tensor handles when the last run ended
}
