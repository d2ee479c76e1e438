import JSON
import Messages
import ProviderIssuer
import ServiceRuntime
import TestSupport

@testable import IdentityService

/// Invalid claims, each signed with the provider's real key.
extension TokenMutation {
    static let claims: [TokenMutation] = parties + times + subjects + payloads + nonces

    private static let parties: [TokenMutation] = [
        TokenMutation("iss of another issuer", "issuer") {
            try $0.saying([("iss", .string("https://accounts.example"))])
        },
        TokenMutation("iss with an extra slash", "issuer") {
            try $0.saying([("iss", .string($0.providers.google.issuer + "/"))])
        },
        TokenMutation("iss of the other provider", "issuer") {
            try $0.saying([("iss", .string($0.providers.apple.issuer))])
        },
        TokenMutation("iss absent", "claims") { try $0.without("iss") },
        TokenMutation("aud of another app", "audience") {
            try $0.saying([("aud", .string("client-9"))])
        },
        TokenMutation("aud of our app and another app", "audience") {
            try $0.saying([("aud", .array([.string("client-1"), .string("client-9")]))])
        },
        TokenMutation("two of our apps, and azp absent", "authorised-party") {
            try $0.saying([("aud", .array([.string("client-1"), .string("client-2")]))])
        },
        TokenMutation("two of our apps, and azp of another", "authorised-party") {
            try $0.saying([
                ("aud", .array([.string("client-1"), .string("client-2")])),
                ("azp", .string("client-9")),
            ])
        },
        TokenMutation("aud an empty list", "claims") { try $0.saying([("aud", .array([]))]) },
        TokenMutation("aud a number", "claims") { try $0.saying([("aud", .integer(1))]) },
        TokenMutation("aud absent", "claims") { try $0.without("aud") },
    ]

    private static let times: [TokenMutation] = [
        TokenMutation("exp 60 s ago", "expired") {
            try $0.saying([("exp", .integer($0.now - 60)), ("iat", .integer($0.now - 600))])
        },
        TokenMutation("exp as text", "claims") {
            try $0.saying([("exp", .string("\($0.now + 600)"))])
        },
        TokenMutation("exp with a fraction", "claims") {
            try $0.saying([("exp", .real(Double($0.now) + 600.5))])
        },
        TokenMutation("exp absent", "claims") { try $0.without("exp") },
        TokenMutation("exp of the largest integer", "claims") {
            try $0.saying([("exp", .integer(.max))])
        },
        TokenMutation("exp negative", "claims") { try $0.saying([("exp", .integer(-1))]) },
        TokenMutation("iat 61 s ahead", "issued-at") {
            try $0.saying([("iat", .integer($0.now + 61))])
        },
        TokenMutation("iat after exp", "issued-at") {
            try $0.saying([("iat", .integer($0.now + 30)), ("exp", .integer($0.now + 20))])
        },
        TokenMutation("iat as text", "claims") { try $0.saying([("iat", .string("\($0.now)"))]) },
        TokenMutation("iat absent", "claims") { try $0.without("iat") },
        TokenMutation("nbf 61 s ahead", "issued-at") {
            try $0.saying([("nbf", .integer($0.now + 61))])
        },
        TokenMutation("nbf as text", "claims") { try $0.saying([("nbf", .string("0"))]) },
    ]

    private static let subjects: [TokenMutation] = [
        TokenMutation("sub empty", "subject") { try $0.saying([("sub", .string(""))]) },
        TokenMutation("sub of 256 bytes", "subject") {
            try $0.saying([("sub", .string(String(repeating: "1", count: 256)))])
        },
        TokenMutation("sub outside ASCII", "subject") { try $0.saying([("sub", .string("１１７"))]) },
        TokenMutation("sub with a line break", "subject") {
            try $0.saying([("sub", .string("117\n"))])
        },
        TokenMutation("sub with a NUL", "claims") {
            try $0.payload(
                $0.claims.text.replacing(#""sub":"117""#, with: #""sub":"117\u0000x""#))
        },
        TokenMutation("sub a number", "claims") { try $0.saying([("sub", .integer(117))]) },
        TokenMutation("sub absent", "claims") { try $0.without("sub") },
    ]

    private static let payloads: [TokenMutation] = [
        TokenMutation("sub twice", "claims") {
            try $0.payload($0.claims.adding("sub", .string("118")).text)
        },
        TokenMutation("email_verified twice", "claims") {
            try $0.payload($0.claims.adding("email_verified", .boolean(false)).text)
        },
        TokenMutation("the payload as a list", "claims") { try $0.payload("[\($0.claims.text)]") },
        TokenMutation("the payload null", "claims") { try $0.payload("null") },
        TokenMutation("the payload and more", "claims") { try $0.payload($0.claims.text + " x") },
        TokenMutation("the payload nested seven deep", "claims") {
            try $0.payload(
                $0.claims.text.replacing("{", with: #"{"x":[[[[[[1]]]]]],"#))
        },
        TokenMutation("the payload with 65 more members", "claims") { fixture in
            let more = (0..<65).map { ("claim\($0)", JSONValue.null) }
            return try fixture.payload(fixture.claims.with(more).text)
        },
    ]

    private static let nonces: [TokenMutation] = [
        TokenMutation("no nonce in the request", "nonce-missing", code: .invalidNonce) {
            HandedIn(token: $0.good, nonce: "")
        },
        TokenMutation("no nonce in the token", "nonce", code: .invalidNonce) {
            try $0.without("nonce")
        },
        TokenMutation("another issued nonce in the token", "nonce", code: .invalidNonce) {
            try $0.saying([("nonce", .string($0.providers.nonce().nonce))])
        },
        TokenMutation("the nonce's hash in capital letters", "nonce", code: .invalidNonce) {
            try $0.saying([("nonce", .string(Nonces.Match.hash($0.nonce).uppercased()))])
        },
        TokenMutation("an empty nonce in the token", "nonce", code: .invalidNonce) {
            try $0.saying([("nonce", .string(""))])
        },
        TokenMutation("nonce as a number", "claims") { try $0.saying([("nonce", .integer(1))]) },
        TokenMutation("a nonce that was never issued", "nonce-unknown", code: .invalidNonce) {
            HandedIn(
                token: try $0.providers.google.token($0.claims.with([("nonce", .string("mine"))])),
                nonce: "mine")
        },
        TokenMutation("the other provider's nonce", "nonce-provider", code: .invalidNonce) {
            HandedIn(
                token: try $0.providers.google.token(
                    $0.claims.with([("nonce", .string($0.appleNonce))])),
                nonce: $0.appleNonce)
        },
        TokenMutation("a nonce with one bit changed", "nonce-provider", code: .invalidNonce) {
            let changed = ($0.nonce.first == "A" ? "B" : "A") + $0.nonce.dropFirst()
            return HandedIn(
                token: try $0.providers.google.token($0.claims.with([("nonce", .string(changed))])),
                nonce: changed)
        },
        TokenMutation("the other provider's token", "unknown-key") {
            HandedIn(
                token: try $0.providers.apple.token(.apple(of: "117", nonce: $0.nonce)),
                nonce: $0.nonce)
        },
    ]
}
