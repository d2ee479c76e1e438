import Cryptography
package import HTTPSink
import JSON
import Synchronization

/// A provider's authorization codes and its two endpoints for them, as strict as Apple's and
/// Google's: a code is good once, for the app that it was given to, and only with the `redirect_uri`
/// of its request.
///
/// | | Apple | Google |
/// |---|---|---|
/// | paths | `/auth/token`, `/auth/revoke` | `/token`, `/revoke` |
/// | client secret | any, in both requests | `googleSecret`, for a code only |
/// | a code without `redirect_uri` | none is sent | an empty one is sent |
/// | a refresh token | for each code | for a code for offline access |
/// | a token that it did not give, or has revoked | accepted | `invalid_token` |
package final class IssuerCodes: Sendable {
    /// The secret that Google's endpoint accepts, of each app.
    package static let googleSecret = "GOCSPX-test"

    private struct Code {
        let subject: String
        let client: String
        let redirect: String?
        let isOffline: Bool
    }

    private struct State {
        var codes: [String: Code] = [:]
        var exchanged: [String] = []
        var revoked: [String] = []
        var googleTokens: Set<String> = []
        var failures = 0
        var failed = 0
    }

    private let state = Mutex(State())

    /// No codes.
    package init() {}

    /// Gives a code to the app `client`.
    /// - Parameters:
    ///   - redirect: where the dialog returned to; nil for a dialog of the device.
    ///   - isOffline: whether Google gives a refresh token for it.
    package func give(
        _ code: String, of subject: String, to client: String, redirect: String? = nil,
        isOffline: Bool = true
    ) {
        state.withLock {
            $0.codes[code] = Code(
                subject: subject, client: client, redirect: redirect, isOffline: isOffline)
        }
    }

    /// The person has revoked all grants at Google.
    package func forgetGrants() { state.withLock { $0.googleTokens = [] } }

    /// The next revocations fail with 503.
    package func failRevocations(_ count: Int) { state.withLock { $0.failures = count } }

    /// How many revocations have failed so.
    package var failedRevocations: Int { state.withLock { $0.failed } }

    /// The codes that became grants, in order.
    package var exchanged: [String] { state.withLock { $0.exchanged } }

    /// The refresh tokens that were revoked, in order.
    package var revoked: [String] { state.withLock { $0.revoked } }

    /// Whether a path is one of the endpoints.
    package static func serves(_ path: String) -> Bool {
        ["/auth/token", "/auth/revoke", "/token", "/revoke"].contains(path)
    }

    /// Answers a request of an endpoint.
    package func answer(_ request: HTTPSink.Request) -> HTTPSink.Answer {
        let form = Self.form(request.text)
        guard request.method == "POST" else { return .answer(405) }
        switch request.path {
        case "/auth/token", "/auth/revoke":
            guard let client = form["client_id"], form["client_secret"]?.isEmpty == false else {
                return Self.error("invalid_client")
            }
            if request.path == "/auth/token" { return exchange(form, for: client) }
            return revoke(form["token"] ?? "", asGoogle: false)
        case "/token":
            guard let client = form["client_id"], form["client_secret"] == Self.googleSecret else {
                return .answer(401, body: #"{"error":"invalid_client"}"#)
            }
            guard let redirect = form["redirect_uri"] else {
                return Self.error("invalid_request")
            }
            let known = state.withLock { $0.codes[form["code"] ?? ""] }
            if let known, (known.redirect ?? "") != redirect {
                return Self.error("redirect_uri_mismatch")
            }
            return exchange(form, for: client, asGoogle: true)
        case "/revoke": return revoke(form["token"] ?? "", asGoogle: true)
        default: return .answer(404)
        }
    }

    private func revoke(_ token: String, asGoogle: Bool) -> HTTPSink.Answer {
        state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                state.failed += 1
                return .answer(503)
            }
            if asGoogle, state.googleTokens.remove(token) == nil {
                return Self.error("invalid_token")
            }
            state.revoked.append(token)
            return .answer(200)
        }
    }

    private func exchange(
        _ form: [String: String], for client: String, asGoogle: Bool = false
    ) -> HTTPSink.Answer {
        guard form["grant_type"] == "authorization_code" else {
            return Self.error("unsupported_grant_type")
        }
        let name = form["code"] ?? ""
        let code = state.withLock { state -> Code? in
            // An invalid request uses the code up too.
            guard let code = state.codes.removeValue(forKey: name), code.client == client,
                asGoogle || code.redirect == form["redirect_uri"]
            else { return nil }
            state.exchanged.append(name)
            if asGoogle, code.isOffline { state.googleTokens.insert(Self.refreshToken(of: name)) }
            return code
        }
        guard let code else { return Self.error("invalid_grant") }
        let claims = JSONWriter.text(["sub": .string(code.subject), "aud": .string(client)])
        var answer: JSONObject = [
            "access_token": .string("access"), "token_type": .string("Bearer"),
            "expires_in": .integer(3_599),
            "id_token": .string("e30.\(Base64URL.encode(claims.utf8)).c2ln"),
        ]
        if code.isOffline || !asGoogle {
            _ = answer.add("refresh_token", .string(Self.refreshToken(of: name)))
        }
        return .answer(200, body: JSONWriter.text(answer))
    }

    /// The refresh token that it gives for a code.
    package static func refreshToken(of code: String) -> String { "refresh of \(code)" }

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
