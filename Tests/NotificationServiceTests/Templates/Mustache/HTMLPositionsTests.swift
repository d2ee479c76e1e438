import Testing

@testable import NotificationService

@Suite("Where values are allowed in markup")
struct HTMLPositionsTests {
    private func isAllowed(_ markup: String) throws -> Bool {
        let source = TemplateSource(file: "t.html", line: 1, text: markup)
        let template = try MustacheParser.template(
            source, names: ["device", "link", "not-me-link", "language", "direction"],
            partials: ["content"])
        do {
            try HTMLPositions.check(template, of: source)
            return true
        } catch {
            return false
        }
    }

    @Test(
        "N-05: values are allowed between elements, and a link as a whole href",
        arguments: [
            "{{device}}", "<p>{{device}}</p>", "<a href=\"{{link}}\">{{link}}</a>",
            "<a class=\"x\" href=\"{{link}}\" style=\"color:red\">x</a>",
            "<a href=\"{{not-me-link}}\">x</a>",
            "<html lang=\"{{language}}\" dir=\"{{direction}}\">",
            "<style>p > a {}</style>{{device}}",
            "<!-- <a href= --><b>{{device}}</b>", "{{#device}}<p>{{device}}</p>{{/device}}",
            "<a href=\"https://app.example/help\">x</a>", "<br/>{{device}}<br />",
            "<!DOCTYPE html><p title=\"a > b\">{{device}}", "{{> content}}",
        ])
    func allowed(_ markup: String) throws {
        #expect(try isAllowed(markup))
    }

    @Test(
        "N-05: values are rejected everywhere else",
        arguments: [
            "<a href=\"{{device}}\">", "<a href='{{link}}'>", "<a href={{link}}>",
            "<a href=\"https://evil.example/{{link}}\">", "<a href=\"{{link}}/x\">",
            "<a href=\"{{link}}{{link}}\">", "<img src=\"{{link}}\">", "<p {{device}}>",
            "<{{device}}>", "<p style=\"color:{{device}}\">", "<p onclick=\"{{device}}\">",
            "<style>p { content: '{{device}}' }</style>", "<!-- {{device}} -->",
            "<script>{{device}}</script>", "<script src=\"x\"></script>", "<SCRIPT>x</SCRIPT>",
            "{{language}}", "<p lang=\"{{direction}}\">", "<p lang=\"{{device}}\">",
            "<p title=\"{{> content}}\">", "{{#device}}<p title=\"{{/device}}x\">", "<p",
            "<p title=\"",
            "<!-- x", "<style>p {}", "<iframe href=\"{{link}}\">", "<p data-href=\"{{link}}\">",
        ])
    func refused(_ markup: String) throws {
        #expect(try !isAllowed(markup))
    }

    @Test("N-05: the built-in frame passes the check; a frame without content is rejected")
    func frame() throws {
        let ours = MailFrame.standard
        _ = try MailFrame(ours)
        #expect(throws: TemplateFault.self) {
            try MailFrame(TemplateSource(file: "layout.html", line: 1, text: "<p>{{title}}</p>"))
        }
    }
}
