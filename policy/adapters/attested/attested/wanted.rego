package attested

# What is wanted, as `done-receipt policy adapter` writes it from its flags. This one is met by nothing.
wanted := {
	"verifier": "",
	"resources": [],
	"levels": [],
	"judgedBy": "",
	"maxAge": 0,
	"claims": "refused",
}
