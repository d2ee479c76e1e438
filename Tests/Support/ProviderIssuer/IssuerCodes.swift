import Cryptography
package import HTTPSink
import JSON
import Synchronization

/// A provider's authorization codes and its two endpoints for them, as strict as Apple's: a code is
/// good once, for the app that it was given to, and only with the `redirect_uri` of its request, or
/// without one.
package final class IssuerCodes: Sendable {
    private struct Code {
        let subject: String
        let client: String
        let redirect: String?
    }

    private struct State {
        var codes: [String: Code] = [:]
        var exchanged: [String] = []
        var revoked: [String] = []
    }

    private let state = Mutex(State())

    /// No codes.
    package init() {}

    /// Gives a code to the app `client`.
    /// - Parameter redirect: where the dialog returned to; nil for a dialog of the device.
    package func give(
        _ code: String, of subject: String, to client: String, redirect: String? = nil
    ) {
        state.withLock {
            $0.codes[code] = Code(subject: subject, client: client, redirect: redirect)
        }
    }

    /// The codes that became grants, in order.
    package var exchanged: [String] { state.withLock { $0.exchanged } }

    /// The refresh tokens that were revoked, in order.
    package var revoked: [String] { state.withLock { $0.revoked } }

    /// Answers a request of `/auth/token` or `/auth/revoke`.
    package func answer(_ request: HTTPSink.Request) -> HTTPSink.Answer {
        let form = Self.form(request.text)
        guard request.method == "POST", let client = form["client_id"],
            form["client_secret"]?.isEmpty == false
        else { return Self.error("invalid_client") }
        switch request.path {
        case "/auth/token": return exchange(form, for: client)
        case "/auth/revoke":
            state.withLock { $0.revoked.append(form["token"] ?? "") }
            return .answer(200)
        default: return .answer(404)
        }
    }

    private func exchange(_ form: [String: String], for client: String) -> HTTPSink.Answer {
        guard form["grant_type"] == "authorization_code" else {
            return Self.error("unsupported_grant_type")
        }
        let name = form["code"] ?? ""
        let code = state.withLock { state -> Code? in
            // An invalid request uses the code up too.
            guard let code = state.codes.removeValue(forKey: name), code.client == client,
                code.redirect == form["redirect_uri"]
            else { return nil }
            state.exchanged.append(name)
            return code
        }
        guard let code else { return Self.error("invalid_grant") }
        let claims = JSONWriter.text(["sub": .string(code.subject), "aud": .string(client)])
        return .answer(
            200,
            body: JSONWriter.text([
                "refresh_token": .string("refresh of \(name)"),
                "id_token": .string("e30.\(Base64URL.encode(claims.utf8)).c2ln"),
            ]))
    }

    private static func error(_ word: String) -> HTTPSink.Answer {
        .answer(400, body: #"{"error":"\#(word)"}"#)
    }

    /// The fields of a form, without their escapes.
    private static func form(_ text: String) -> [String: String] {
        var fields: [String: String] = [:]
        for field in text.split(separator: "&") {
            let halves = field.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            fields[plain(halves[0])] = halves.count == 2 ? plain(halves[1]) : ""
        }
        return fields
    }

    private static func plain(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
