package rocksdb_test

import (
	"strings"
	"testing"

	"bloomline/rocksdb"
)

// examples/books shows what RocksDB does with the handles.

func TestRegister(t *testing.T) {
	for i := 0; i < 2; i++ {
		if err := rocksdb.Register(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWrongStringsAreNamed(t *testing.T) {
	for wrong, want := range map[string]string{"bloomlime:10": "is 'bloomlime:10'",
		"bloomline:1000": "bits_per_key is 1000", "bloomline:10\x00": `is "bloomline:10\x00"`} {
		policy, err := rocksdb.NewFilterPolicy(wrong)
		if policy != nil || err == nil || !strings.HasPrefix(err.Error(), "bloomline: ") ||
			!strings.Contains(err.Error(), want+"; allowed: ") {
			t.Errorf("%q: %v, %v", wrong, policy, err)
		}
	}
}

func TestHandles(t *testing.T) {
	policy, err := rocksdb.NewFilterPolicy("{id=bloomline;format=ribbon;bits_per_key=8.5}")
	if policy == nil || err != nil {
		t.Error(err)
	}
}

func TestMetricsText(t *testing.T) {
	text, err := rocksdb.MetricsText()
	if err != nil || !strings.Contains(text, "\nbloomline_info{version=") {
		t.Errorf("%v: %s", err, text)
	}
}

// examples/books shows what RewriteFilters does with a database.
func TestRewriteFiltersNamesWhatIsWrong(t *testing.T) {
	for options, want := range map[string]string{"": "db is NULL; allowed: an open database",
		"dry_run=\x00": "allowed: no zero byte"} {
		_, _, err := rocksdb.RewriteFilters(nil, nil, options)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", options, err)
		}
	}
}
