import ServiceRuntime
import Testing

@testable import NotificationService

@Suite("The template engine")
struct MustacheTemplateTests {
    private static let names = ["a", "b"]

    private func template(_ text: String) throws -> MustacheTemplate {
        try MustacheParser.template(
            TemplateSource(file: "t", line: 1, text: text), names: Self.names, partials: ["partial"]
        )
    }

    private func fault(_ text: String) -> TemplateFault? {
        do {
            _ = try template(text)
            return nil
        } catch {
            return error as? TemplateFault
        }
    }

    @Test(
        "N-05: values, sections, inverted sections, partials and comments are rendered",
        arguments: [
            ("", ""), ("plain } {", "plain } {"), ("{{a}}-{{b}}", "A-"), ("{{ a }}", "A"),
            ("{{#a}}[{{a}}]{{/a}}", "[A]"), ("{{#b}}[{{b}}]{{/b}}", ""),
            ("{{^a}}no{{/a}}{{^b}}none{{/b}}", "none"), ("x{{! a word }}y", "xy"),
            ("{{#a}}{{#a}}{{^b}}deep{{/b}}{{/a}}{{/a}}", "deep"), ("{{> partial}}", "<hr>"),
            ("a }} lone", "a }} lone"),
        ])
    func rendered(_ text: String, _ expected: String) throws {
        #expect(try template(text).rendered(["a": "A"], partials: ["partial": "<hr>"]) == expected)
    }

    @Test("N-05: a value is inserted escaped and never parsed as a template")
    func data() throws {
        let hostile = "{{b}}{{#a}}<b>\"'&"
        #expect(try template("{{a}}").rendered(["a": hostile, "b": "B"]) == hostile)
        let html = try template("{{a}}").rendered(["a": hostile], escape: HTMLText.escape)
        #expect(html == "{{b}}{{#a}}&lt;b&gt;&quot;&#39;&amp;")
    }

    @Test(
        "N-05: an invalid template is an error that gives its line",
        arguments: [
            ("\n\n{{c}}", 3, "allowed: a, b"), ("{{#a}}\n", 1, "{{/a}}"),
            ("\n{{/a}}", 2, "closes nothing"), ("{{#a}}{{#b}}{{/a}}", 1, "{{/b}} is due"),
            ("{{a", 1, "does not end"), ("{{#c}}{{/c}}", 1, "allowed: a, b"),
            ("{{> other}}", 1, "allowed: partial"), ("{{{a}}}", 1, "always escaped"),
            ("{{&a}}", 1, "always escaped"), ("{{=<% %>=}}", 1, "is no tag"),
            ("{{}}", 1, "is no tag"), ("{{a.b}}", 1, "is no tag"), ("{{! x\n\n}}{{c}}", 3, "{{c}}"),
        ])
    func faults(_ text: String, _ line: Int, _ word: String) {
        let fault = fault(text)
        #expect(fault?.line == line)
        #expect(fault?.description.contains(word) == true, "\(fault?.description ?? "none")")
    }

    @Test("N-05: depth and number of tags are limited")
    func bounds() {
        func nested(_ depth: Int) -> String {
            String(repeating: "{{#a}}", count: depth) + String(repeating: "{{/a}}", count: depth)
        }
        #expect(fault(nested(MustacheParser.depthMax)) == nil)
        #expect(fault(nested(MustacheParser.depthMax + 1)) != nil)
        #expect(fault(String(repeating: "{{a}}", count: MustacheParser.tagsMax)) == nil)
        #expect(fault(String(repeating: "{{a}}", count: MustacheParser.tagsMax + 1)) != nil)
    }

    @Test("N-05: every prefix of a template is parsed or rejected, and none is a trap")
    func truncations() {
        let text = "{{#a}}x{{! y }}{{b}}{{^b}}z{{/b}}{{/a}}{{> partial}}"
        let closed = text.utf8.count - "{{> partial}}".utf8.count
        for count in 0..<text.utf8.count {
            // One brace is text. After two braces a tag is open, and after the tag a section.
            let isWhole = count < 2 || (closed...closed + 1).contains(count)
            #expect((fault(String(text.prefix(count))) == nil) == isWhole, "\(count)")
        }
    }
}
