@testable import WebService

/// A page with a form in a browser.
struct OpenPage: Sendable {
    let page: Page
    /// As the browser sends it: `name=value`.
    let cookie: String
    let response: HTTP1Response

    /// The value of the hidden field; empty without one.
    var formToken: String { value(after: "name=\"form\" value=\"") ?? "" }

    /// The gateway's confirmation token; empty without one.
    var confirmation: String { value(after: "name=\"confirmation\" value=\"") ?? "" }

    /// Where the form goes; the page itself without one.
    var action: String { value(after: "<form method=\"post\" action=\"") ?? page.path }

    private func value(after start: String) -> String? {
        let parts = response.text.split(separator: start, maxSplits: 1)
        return parts.count == 2 ? String(parts[1].prefix { $0 != "\"" }) : nil
    }
}

extension HTTP1Response {
    /// The cookie that it sets, as a browser sends it back.
    var cookie: String? { fields["set-cookie"].map { String($0.prefix { $0 != ";" }) } }
}
