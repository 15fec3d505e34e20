// gatekeeper-review asks Gatekeeper's own engine about objects, with a provider of external data, for tests.
//
// `gator` cannot: it has no providers, and a template that asks one does not compile there. This is the client that
// gator uses, with the cache of providers that Gatekeeper's controller fills.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/open-policy-agent/frameworks/constraint/pkg/apis"
	"github.com/open-policy-agent/frameworks/constraint/pkg/apis/externaldata/unversioned"
	"github.com/open-policy-agent/frameworks/constraint/pkg/client"
	"github.com/open-policy-agent/frameworks/constraint/pkg/client/drivers/rego"
	"github.com/open-policy-agent/frameworks/constraint/pkg/client/reviews"
	"github.com/open-policy-agent/frameworks/constraint/pkg/externaldata"
	"github.com/open-policy-agent/gatekeeper/v3/pkg/gator"
	"github.com/open-policy-agent/gatekeeper/v3/pkg/gator/reader"
	"github.com/open-policy-agent/gatekeeper/v3/pkg/target"
	"github.com/open-policy-agent/gatekeeper/v3/pkg/util"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const providerKind = "Provider"

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: gatekeeper-review FILE... (template, constraint, Provider, and the objects to review)")
	}
	objects, err := reader.ReadSources(os.Args[1:], nil, "")
	check(err)
	engine, providers := newEngine()
	scheme := runtime.NewScheme()
	check(apis.AddToScheme(scheme))
	var reviewed []*unstructured.Unstructured
	for _, object := range objects {
		switch {
		case reader.IsTemplate(object):
			template, err := reader.ToTemplate(scheme, object)
			check(err)
			_, err = engine.AddTemplate(context.Background(), template)
			check(err)
		case object.GetKind() == providerKind:
			var provider unversioned.Provider
			check(runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &provider))
			check(providers.Upsert(&provider))
		case !reader.IsConstraint(object):
			reviewed = append(reviewed, object)
		}
	}
	for _, object := range objects {
		if reader.IsConstraint(object) {
			_, err := engine.AddConstraint(context.Background(), object)
			check(err)
		}
	}
	said := map[string][]string{}
	for _, object := range reviewed {
		said[object.GetName()] = review(engine, object)
	}
	check(json.NewEncoder(os.Stdout).Encode(said))
}

func newEngine() (gator.Client, *externaldata.ProviderCache) {
	providers := externaldata.NewCache()
	engine, err := gator.NewOPAClient(false, func() ([]client.Opt, []rego.Arg, error) {
		return nil, []rego.Arg{rego.AddExternalDataProviderCache(providers)}, nil
	})
	check(err)
	return engine, providers
}

// The messages of all violations; an error of the engine ends the program.
func review(engine gator.Client, object *unstructured.Unstructured) []string {
	asked := target.AugmentedUnstructured{Object: *object}
	responses, err := engine.Review(context.Background(), asked, reviews.EnforcementPoint(util.GatorEnforcementPoint))
	check(err)
	messages := []string{}
	for _, result := range responses.Results() {
		messages = append(messages, result.Msg)
	}
	return messages
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
