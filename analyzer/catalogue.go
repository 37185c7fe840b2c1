package analyzer

import (
	"fmt"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"strings"

	"github.com/lockvet/lockvet/internal/nearest"
	"github.com/lockvet/lockvet/internal/verdict"
)

// A Check is what is documented of a check.
type Check struct {
	// Name is what the flags and directives call it.
	Name string
	// Title says what it looks for, as the rest of a sentence.
	Title string
	// Doc is the text of its documentation.
	Doc string
	// Stays says what its fixes do not change, Review what they do that somebody
	// should look at; both are empty where it has no fixes.
	Stays, Review string
	// Variants are the kinds of mistake that it tells apart.
	Variants []Variant
}

// A Variant is one kind of mistake.
type Variant struct {
	// Category is the check and the variant: "tornwrite/inplace".
	Category string
	// Title says in a sentence what the mistake is.
	Title string
	// Text is the title and what else is said of the variant.
	Text string
}

// Catalogue describes the checks, in the order in which they run.
func Catalogue() []Check {
	var all []Check
	for _, c := range registry() {
		text := documentation(c.source)
		all = append(all, Check{Name: c.name, Title: title(c.name, text), Doc: text,
			Stays: paragraph(text, "What stays: "), Review: paragraph(text, "To review: "), Variants: variants(c.name, text)})
	}
	return all
}

// Checks lists the names of the checks.
func Checks() []string {
	var names []string
	for _, c := range registry() {
		names = append(names, c.name)
	}
	return names
}

// Names lists what a directive can name: the checks, each followed by its
// categories.
func Names() []string {
	var names []string
	for _, c := range Catalogue() {
		names = append(names, c.Name)
		for _, v := range c.Variants {
			names = append(names, v.Category)
		}
	}
	return names
}

// Explain returns the documentation of a check and its rules. Where it is named by one of
// its variants, as reports do, what is said of that comes first. The error names the checks
// there are.
func Explain(name string) (string, error) {
	for _, c := range Catalogue() {
		text := string((&comment.Printer{}).Text(c.body())) + c.rules()
		if c.Name == name {
			return c.Name + ": " + c.Title + "\n\n" + text, nil
		}
		for _, v := range c.Variants {
			if v.Category == name {
				return v.Category + ": " + v.Text + "\n\n" + c.Name + ": " + c.Title + "\n\n" + text, nil
			}
		}
	}
	return "", unknown(name)
}

// rules lists the rules that only this check asks, by what they do.
func (c Check) rules() string {
	var b strings.Builder
	for _, effect := range []verdict.Effect{verdict.For, verdict.Forbids, verdict.Against, verdict.Lowers} {
		for _, r := range verdict.Rules() {
			if strings.HasPrefix(r.ID, c.Name+"/") && r.Effect == effect {
				fmt.Fprintf(&b, "  - %s (%s): %s\n", r.ID, r.Effect, r.Why)
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n# Rules\n\nThose with which lockvet why answers, and what they do to a report:\n\n" + b.String()
}

func unknown(name string) error {
	_, err := nearest.Of("check", name, Checks())
	return err
}

// Markdown is the documentation as Markdown, from the first paragraph behind the
// heading on.
func (c Check) Markdown() string {
	p := comment.Printer{HeadingID: func(*comment.Heading) string { return "" }} // which is shown as text by some
	return string(p.Markdown(c.body()))
}

// Section is what stands under a heading of the documentation, as Markdown. That
// of no name is the opening: what is lost, the wrong and the right code, what the fix does
// and how a report is silenced.
func (c Check) Section(heading string) string {
	doc, under := c.body(), ""
	var content []comment.Block
	for _, block := range doc.Content {
		if h, ok := block.(*comment.Heading); ok {
			under = string((&comment.Printer{}).Text(&comment.Doc{Content: []comment.Block{&comment.Paragraph{Text: h.Text}}}))
			under = strings.TrimSpace(under)
		} else if under == heading {
			content = append(content, block)
		}
	}
	doc.Content = content
	return string((&comment.Printer{}).Markdown(doc))
}

// HTML is the whole documentation as HTML. Its headings are below those of level 3.
func (c Check) HTML() string {
	p := comment.Printer{HeadingLevel: 4, HeadingID: func(*comment.Heading) string { return "" }}
	return string(p.HTML(c.body()))
}

// body is the documentation without its heading and what stands above it.
func (c Check) body() *comment.Doc {
	var p comment.Parser
	doc := p.Parse(c.Doc)
	for i, block := range doc.Content {
		if _, ok := block.(*comment.Heading); ok {
			doc.Content = doc.Content[i+1:]
			break
		}
	}
	return doc
}

// documentation is the package comment of a doc.go.
func documentation(source string) string {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", source, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil || f.Doc == nil {
		return ""
	}
	return f.Doc.Text()
}

// opening is the first paragraph of the documentation, got without a parser: each
// process of a vettool asks for it when it starts.
func opening(source string) string {
	text, _, _ := strings.Cut(source, "\n//\n")
	return strings.ReplaceAll(strings.TrimPrefix(text, "// "), "\n// ", "\n")
}

// title is the first sentence of the documentation without its beginning.
func title(name, doc string) string {
	text, _, _ := strings.Cut(doc, "\n\n")
	text = strings.ReplaceAll(text, "\n", " ")
	return strings.TrimPrefix(text, "Package "+name+" defines the check for ")
}

// paragraph is the rest of the paragraph that begins with a lead, empty if there
// is none.
func paragraph(doc, lead string) string {
	for p := range strings.SplitSeq(doc, "\n\n") {
		if rest, ok := strings.CutPrefix(p, lead); ok {
			return strings.TrimSpace(strings.ReplaceAll(rest, "\n", " "))
		}
	}
	return ""
}

// variants reads the list of categories in the documentation of a check.
func variants(name, doc string) []Variant {
	var p comment.Parser
	var all []Variant
	for _, block := range p.Parse(doc).Content {
		list, ok := block.(*comment.List)
		if !ok {
			continue
		}
		for _, item := range list.Items {
			text := strings.ReplaceAll(string((&comment.Printer{TextWidth: -1}).Text(&comment.Doc{Content: item.Content})), "\n", " ")
			if category, title, ok := strings.Cut(strings.TrimSpace(text), ": "); ok && strings.HasPrefix(category, name+"/") {
				v := Variant{Category: category, Title: title, Text: title}
				if first, _, more := strings.Cut(title, ". "); more {
					v.Title = first + "."
				}
				all = append(all, v)
			}
		}
	}
	return all
}
