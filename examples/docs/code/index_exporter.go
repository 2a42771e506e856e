// Command index_exporter shows the state of the Harbour Library's search index to Prometheus.
//
// It asks the index for the report of its last run at most once per interval, however often it is scraped, and
// goes on serving the last good report when the index does not answer: the age of that report is a metric too.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrNoRun says that the index has never been built.
var ErrNoRun = errors.New("no run has finished yet")

// StatusError is an answer of the index other than 200.
type StatusError struct {
	URL  string
	Code int
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answered %d %s", e.URL, e.Code, http.StatusText(e.Code))
}

// Report is what the index tells about its last run.
type Report struct {
	RunID       string         `json:"run_id"`
	State       string         `json:"state"`
	FinishedAt  time.Time      `json:"finished_at"`
	Seconds     float64        `json:"seconds"`
	Documents   map[string]int `json:"documents"` // by outcome: new, changed, moved, gone, unchanged
	Quarantined int            `json:"quarantined"`
	CostEuros   float64        `json:"cost_euros"`
}

// Source gives the report of the last run.
type Source interface {
	LastRun(ctx context.Context) (*Report, error)
}

// HTTPSource reads reports from the index's own address.
type HTTPSource struct {
	URL    string
	Client *http.Client
}

// LastRun fetches and decodes the report. It returns ErrNoRun when there is none, a *StatusError when the index
// refuses, and the transport's error when it cannot be reached.
func (s *HTTPSource) LastRun(ctx context.Context) (*Report, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("report address: %w", err)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch report: %w", err)
	}
	defer response.Body.Close()

	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return nil, ErrNoRun
	default:
		return nil, &StatusError{URL: s.URL, Code: response.StatusCode}
	}

	var report Report
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&report); err != nil {
		return nil, fmt.Errorf("decode report: %w", err)
	}
	return &report, nil
}

// Exporter keeps the last good report and writes it as metrics. It is safe for use by several goroutines.
type Exporter struct {
	source   Source
	interval time.Duration
	now      func() time.Time

	mu       sync.Mutex
	report   *Report
	asked    time.Time
	failures int
}

// NewExporter returns an exporter that asks source at most once per interval.
func NewExporter(source Source, interval time.Duration) *Exporter {
	return &Exporter{source: source, interval: interval, now: time.Now}
}

// refresh asks the source if the interval has passed. A failure is counted and the old report is kept.
func (e *Exporter) refresh(ctx context.Context) {
	if e.now().Sub(e.asked) < e.interval {
		return
	}
	e.asked = e.now()
	report, err := e.source.LastRun(ctx)
	if err != nil {
		e.failures++
		if !errors.Is(err, ErrNoRun) {
			log.Printf("refresh: %v", err)
		}
		return
	}
	e.report = report
}

// ServeHTTP answers a scrape in the text format of Prometheus.
func (e *Exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refresh(r.Context())

	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	fmt.Fprint(w, e.render())
}

// render writes one line per metric, in the same order every time.
func (e *Exporter) render() string {
	var out strings.Builder
	gauge := func(name, labels string, value float64) {
		fmt.Fprintf(&out, "harbour_index_%s%s %s\n", name, labels, strconv.FormatFloat(value, 'g', -1, 64))
	}

	gauge("refresh_failures_total", "", float64(e.failures))
	if e.report == nil {
		gauge("up", "", 0)
		return out.String()
	}
	gauge("up", "", 1)
	gauge("report_age_seconds", "", e.now().Sub(e.report.FinishedAt).Seconds())
	gauge("run_seconds", "", e.report.Seconds)
	gauge("quarantined_files", "", float64(e.report.Quarantined))
	gauge("embedding_cost_euros", "", e.report.CostEuros)

	outcomes := make([]string, 0, len(e.report.Documents))
	for outcome := range e.report.Documents {
		outcomes = append(outcomes, outcome)
	}
	sort.Strings(outcomes)
	for _, outcome := range outcomes {
		gauge("documents", fmt.Sprintf("{outcome=%q}", outcome), float64(e.report.Documents[outcome]))
	}
	return out.String()
}

func main() {
	listen := flag.String("listen", "127.0.0.1:9187", "address to serve metrics on")
	url := flag.String("report", "https://ingest-01.example.com/runs/last", "address of the last run's report")
	interval := flag.Duration("interval", time.Minute, "shortest time between two questions to the index")
	flag.Parse()

	source := &HTTPSource{URL: *url, Client: &http.Client{Timeout: 5 * time.Second}}
	mux := http.NewServeMux()
	mux.Handle("/metrics", NewExporter(source, *interval))

	server := &http.Server{Addr: *listen, Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	log.Printf("serving metrics on http://%s/metrics", *listen)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
