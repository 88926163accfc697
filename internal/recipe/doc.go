// Package recipe is what an experiment file says of trainings and models, in the types that they
// act on: a setting is the same field, or the same named string, from the TOML key to the line of a
// model that reads it. It knows no tensors, so that file, plan and models share it. Keys of masking
// are in masking/policy.
//
// A key's name is that of its toml tag or else of its json tag, which is its name in stage.json;
// the tag must says in words which numbers it takes.
package recipe
