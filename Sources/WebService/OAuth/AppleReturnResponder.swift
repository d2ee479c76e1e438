import HTTPTypes
import NIOCore
import ServiceRuntime

/// Answers `POST /apple/callback`, the `redirect_uri` of Apple's dialog on Android and on the web:
/// hands Apple's answer to the app that asked (G-31). Apple posts a form, which neither an app on
/// Android nor a page without a server of its own can receive.
///
/// It keeps and logs nothing, and calls nothing. Attack: a page posts a code of the attacker's, so
/// that the visitor of an app signs in to the attacker's account. Neither a cookie nor the origin
/// can tell, since Apple's page posts too: it is the app that refuses a `state` that it did not make.
struct AppleReturnResponder: Sendable {
    /// Apple's own posts have less than 4 KiB.
    private static let bodyBytesMax = 16 * 1024

    let apps: Reloadable<Apps>
    let formalLanguages: FormalLanguages
    /// The look of the pages; nil while they are off.
    let theme: Reloadable<Theme>?

    /// Answers 303 to the app's own page or intent, or 400 with a page for the person if no app is
    /// known by the answer.
    /// - Throws: `HTTPFailure`, `CancellationError`.
    func respond(to exchange: HTTPExchange) async throws {
        guard exchange.head.method == .post else { throw HTTPFailure(allowing: "POST") }
        let fields = exchange.head.headerFields
        let body = try await exchange.body(bytesMax: Self.bodyBytesMax)
        let form = try FormParameters.read(fields, body)
            .mapError { HTTPFailure(.badRequest, $0.reason) }.get()
        guard let answer = AppleAnswer(form), let target = target(of: answer.app) else {
            return refuse(exchange)
        }
        var head = HTTPResponse(status: .seeOther, headerFields: PageResponder.fields)
        head.headerFields[.location] = target.url(answer.parameters)
        exchange.respond(head)
    }

    private func target(of app: String) -> AppleReturn? {
        apps.value.all.first { $0.name == app }?.appleReturn
    }

    private func refuse(_ exchange: HTTPExchange) {
        let language = Language(accepting: exchange.head.headerFields[.acceptLanguage])
        let page = AppleReturnPage(
            voice: formalLanguages.voice(of: language), theme: theme?.value,
            assets: PageAssets.path,
            host: (exchange.head.authority ?? "").replacing(/:[0-9]*$/, with: ""))
        var head = HTTPResponse(status: .badRequest, headerFields: PageResponder.fields)
        head.headerFields[.contentType] = "text/html; charset=utf-8"
        head.headerFields[.contentLanguage] = language.rawValue
        exchange.respond(head, ByteBuffer(string: page.document.text))
    }
}
