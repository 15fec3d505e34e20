// timestamp-server is Sigstore's timestamp authority for tests: its own REST API, without the rest of its command.
//
// The command of the same name also serves metrics on port 2112 of every interface, which cannot be changed, and ends
// when it cannot: two of them cannot run on one machine, and a test would listen to the network. What signs is the same
// code: pkg/server, configured by the same names, given here as flags.
package main

import (
	"log"
	"os"
	"strconv"
	"time"

	"github.com/sigstore/timestamp-authority/v2/pkg/server"
	"github.com/spf13/viper"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: timestamp-server HOST PORT KEY.pem CHAIN.pem")
	}
	port, err := strconv.ParseUint(os.Args[2], 10, 16)
	if err != nil {
		log.Fatal(err)
	}
	viper.Set("timestamp-signer", "file")
	viper.Set("timestamp-signer-hash", "sha256")
	viper.Set("file-signer-key-path", os.Args[3])
	viper.Set("certificate-chain-path", os.Args[4])
	// Defaults of the command's flags, which nothing else sets.
	viper.Set("enforce-intermediate-eku", true)
	viper.Set("max-request-body-size", 1<<20)
	viper.Set("default-policy-oid", "1.3.6.1.4.1.57264.2")
	viper.Set("accepted-policy-oids", []string{"1.3.6.1.4.1.57264.2"})

	api := server.NewRestAPIServer(os.Args[1], int(port), []string{"http"}, false, 30*time.Second, 30*time.Second)
	api.CleanupTimeout = time.Second
	if err := api.Serve(); err != nil {
		log.Fatal(err)
	}
}
