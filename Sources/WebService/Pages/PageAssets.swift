import HTTPTypes
import NIOCore
import ServiceRuntime

/// Answers the style sheets, the pictures and the script of the pages.
struct PageAssets: Sendable {
    /// What the paths begin with.
    static let path = "/pages/"

    let theme: Reloadable<Theme>

    /// Answers a request whose path begins with `path`. No theme has a file of the script's name.
    /// - Throws: `HTTPFailure`.
    func respond(to exchange: HTTPExchange, _ path: Substring) throws(HTTPFailure) {
        try exchange.requireReading()
        let theme = theme.value
        let name = path.dropFirst(Self.path.count)
        guard name != "style.css" else {
            return respond(exchange, Array(theme.styleSheet.utf8), "text/css; charset=utf-8")
        }
        guard name != PasskeyScript.name else {
            return respond(
                exchange, Array(PasskeyScript.text.utf8), "text/javascript; charset=utf-8")
        }
        guard let file = theme.files.first(where: { $0.name == name }) else {
            throw HTTPFailure(.notFound, "there is no such file")
        }
        respond(exchange, file.bytes, file.mediaType)
    }

    private func respond(_ exchange: HTTPExchange, _ bytes: [UInt8], _ mediaType: String) {
        exchange.respond(
            ByteBuffer(bytes: bytes), mediaType, tag: EntityTag(of: bytes),
            [
                // Asked for again each time, so that a changed theme is seen.
                .cacheControl: "no-cache",
                // An SVG that is opened by itself runs no script either.
                .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
            ])
    }
}
