"""The one place that states the version; the build reads it from here."""

VERSION = "0.1.0"
