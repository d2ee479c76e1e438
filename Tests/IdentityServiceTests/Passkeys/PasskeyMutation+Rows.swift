import Cryptography
import TestSupport

@testable import IdentityService

extension PasskeyMutation {
    /// One for each row of `PasskeyRule` and its boundaries. What the store and the moment refuse
    /// is in `PasskeyChallengeTests`.
    static let all =
        identifiers + clientData + challenges + origins + frames + relyingParties + flags
        + authenticatorData + attestationObjects + credentials + assertions

    private static func bytes(_ text: String) -> [UInt8] { Base64URL.decode(text.utf8) ?? [] }

    private static let identifiers: [PasskeyMutation] = [
        .texts("another type of credential", .credentialType) { $0.type = "password" },
        .texts("no type of credential", .credentialType) { $0.type = "" },
        .texts("no rawId", .identifier) { $0.rawID = "" },
        .texts("another rawId", .identifier) {
            $0.rawID = Base64URL.encode([UInt8](repeating: 1, count: 32))
        },
        .texts("an id with padding", .identifier) {
            $0.id += "="
            $0.rawID = $0.id
        },
        .texts("an id in the alphabet of Base64", .identifier) {
            $0.id = String(repeating: "+/+/", count: 8)
            $0.rawID = $0.id
        },
        .texts("an id with unused bits", .identifier) {
            $0.id = String(repeating: "A", count: 42) + "B"
            $0.rawID = $0.id
        },
        .texts("no id", .identifierLength) {
            $0.id = ""
            $0.rawID = ""
        },
        .texts("an id of 15 bytes", .identifierLength) {
            $0.id = Base64URL.encode([UInt8](repeating: 1, count: 15))
            $0.rawID = $0.id
        },
        .texts("an id of 1,024 bytes", .identifierLength) {
            $0.id = Base64URL.encode([UInt8](repeating: 1, count: 1_024))
            $0.rawID = $0.id
        },
    ]

    private static let clientData: [PasskeyMutation] = [
        .texts("client data with padding", .clientData) { $0.clientDataJSON += "=" },
        .texts("no client data", .clientData) { $0.clientDataJSON = "" },
        .texts("client data that is cut", .clientData) {
            $0.clientDataJSON = Base64URL.encode(bytes($0.clientDataJSON).dropLast())
        },
        .both("client data that is no object", .clientData) { $0.clientData = Array("[]".utf8) },
        .both("client data without members", .clientData) { $0.clientData = Array("{}".utf8) },
        .both("a type that is no text", .clientData) {
            $0.clientData = Array(
                #"{"type":1,"challenge":"\#($0.challenge)","origin":"https://example.org"}"#.utf8)
        },
        .both("two challenges", .clientData) { $0.members = #","challenge":"AAAA""# },
        .both("two origins", .clientData) { $0.members = #","origin":"https://evil.test""# },
        .both("text after the client data", .clientData) { $0.members = "}{" },
        .both("client data that is not UTF-8", .clientData) {
            $0.clientData =
                Array(#"{"type":"webauthn.get","challenge":"","origin":""#.utf8) + [0xFF]
                + Array(#""}"#.utf8)
        },
        .both("client data that is too long", .clientData) {
            $0.members += String(repeating: " ", count: 4_096)
        },
        .both("two byte order marks", .clientData) {
            $0.clientData = [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array("{}".utf8)
        },
        .registering("a sign-in's client data", .ceremony) { $0.type = "webauthn.get" },
        .signing("a registration's client data", .ceremony) { $0.type = "webauthn.create" },
        .both("client data of a payment", .ceremony) { $0.type = "payment.get" },
        .both("no ceremony", .ceremony) { $0.type = "" },
    ]

    private static let challenges: [PasskeyMutation] = [
        .both("no challenge", .challengeUnknown) { $0.challenge = "" },
        .both("a challenge with padding", .challengeUnknown) { $0.challenge += "=" },
        .both("a challenge that was made up", .challengeUnknown) {
            $0.challenge = Base64URL.encode([UInt8](repeating: 0x7F, count: 40))
        },
        .both("a challenge that was changed", .challengeUnknown) {
            var changed = bytes($0.challenge)
            changed[0] ^= 1
            $0.challenge = Base64URL.encode(changed)
        },
        .both("a challenge whose end was put off", .challengeUnknown) {
            var changed = bytes($0.challenge)
            changed[20] ^= 1
            $0.challenge = Base64URL.encode(changed)
        },
    ]

    private static let origins: [PasskeyMutation] =
        [
            "", "null", "https://example.org.evil.test", "https://evilexample.org",
            "https://example.org:8443", "https://example.org:443", "https://example.org/",
            "https://example.org ", "HTTPS://example.org", "https://Example.org",
            "http://example.org", "https://www.example.org", "https://app.example.org",
            "https://app.example.org:8444", "example.org", "https://example.org.",
            "https://127.0.0.1", "http://localhost", "https://user@example.org",
            "https://www.example.com", "http://example.com",
            "android:apk-key-hash:" + Base64URL.encode([UInt8](repeating: 0x29, count: 32)),
            "android:apk-key-hash:" + Base64.encode([UInt8](repeating: 0x28, count: 32)),
            // To Swift's == the same text as a listed one: the Kelvin sign for a K.
            "android:apk-key-hash:"
                + Base64URL.encode([UInt8](repeating: 0x28, count: 32))
                .replacing("K", with: "\u{212A}"),
        ].map { origin in .both("the origin \(origin)", .origin) { $0.origin = origin } }

    private static let frames: [PasskeyMutation] =
        ["true", "1", "null", #""false""#].map { value in
            .both("crossOrigin \(value)", .crossOrigin) {
                $0.members = #","crossOrigin":\#(value)"#
            }
        }
        + [#""https://example.org""#, #""https://evil.test""#, "null", #""""#].map { value in
            .both("topOrigin \(value)", .topOrigin) { $0.members = #","topOrigin":\#(value)"# }
        }

    private static let relyingParties: [PasskeyMutation] =
        ["evil.test", "app.example.org", "org", "Example.org", "example.com", ""].map { id in
            .both("a signature for \(id)", .relyingParty) { $0.relyingParty = id }
        }

    private static let flags: [PasskeyMutation] = [
        .both("UP and UV unset", .userPresence) { $0.flags = 0x18 },
        .both("UP unset", .userPresence) { $0.flags = 0x1C },
        .both("UV unset", .userVerification) { $0.flags = 0x19 },
        .both("UV unset, the reserved bits set", .userVerification) { $0.flags = 0x23 },
        .both("BS without BE", .backupState) { $0.flags = 0x15 },
    ]

    private static let authenticatorData: [PasskeyMutation] = [
        .both("a byte after the authenticator data", .authenticatorData) { $0.rest = [0] },
        .both("a map after it, without ED", .authenticatorData) { $0.rest = [0xA0] },
        .both("extensions that are no map", .authenticatorData) { $0.extensions = [0x80] },
        .both("extensions that are cut", .authenticatorData) { $0.extensions = [0xA1, 0x61] },
        .both("no extensions, though ED is set", .authenticatorData) { $0.extensions = [] },
        .both("extensions and a byte", .authenticatorData) { $0.extensions = [0xA0, 0] },
        .both("an extension twice", .authenticatorData) {
            $0.extensions = [0xA2, 0x61, 0x61, 0xF5, 0x61, 0x61, 0xF4]
        },
    ]

    private static func object(_ members: [(String, [UInt8])]) -> String {
        Base64URL.encode(TestCBOR.map(members.map { (TestCBOR.text($0.0), $0.1) }))
    }

    private static let attestationObjects: [PasskeyMutation] = [
        .registration("no attestation object", .attestationObject) { $0.attestationObject = "" },
        .registration("one with padding", .attestationObject) { $0.attestationObject += "=" },
        .registration("one that is cut", .attestationObject) {
            $0.attestationObject = Base64URL.encode(bytes($0.attestationObject).dropLast())
        },
        .registration("one with a byte after it", .attestationObject) {
            $0.attestationObject = Base64URL.encode(bytes($0.attestationObject) + [0])
        },
        .registration("one that is no map", .attestationObject) {
            $0.attestationObject = Base64URL.encode([0x80])
        },
        .registration("one of more than 16 KiB", .attestationObject) {
            $0.attestationObject = object([
                ("fmt", TestCBOR.text("x")),
                ("attStmt", TestCBOR.bytes([UInt8](repeating: 0, count: 16_384))),
                ("authData", TestCBOR.bytes([])),
            ])
        },
        .registration("one without authenticator data", .attestationObject) {
            $0.attestationObject = object([
                ("fmt", TestCBOR.text("none")), ("attStmt", TestCBOR.map([])),
            ])
        },
        .registration("one with a text as authenticator data", .attestationObject) {
            $0.attestationObject = object([
                ("fmt", TestCBOR.text("none")), ("attStmt", TestCBOR.map([])),
                ("authData", TestCBOR.text(String(repeating: "a", count: 37))),
            ])
        },
        .registration("one with 36 bytes of authenticator data", .authenticatorData) {
            $0.attestationObject = object([
                ("fmt", TestCBOR.text("none")), ("attStmt", TestCBOR.map([])),
                ("authData", TestCBOR.bytes([UInt8](repeating: 0, count: 36))),
            ])
        },
    ]

    private static let credentials: [PasskeyMutation] = [
        .registering("no credential", .credentialData) { $0.hasCredential = false },
        .registering("a credential of another id", .identifier) {
            $0.credentialID = [UInt8](repeating: 1, count: 32)
        },
        .registering("a credential without id", .identifier) { $0.credentialID = [] },
        .registering("a key that is cut", .authenticatorData) { $0.publicKey = [0xA5, 1, 2] },
        .registering("a key that is no map", .authenticatorData) { $0.publicKey = [0x80] },
        .registering("a key without members", .publicKey) { $0.publicKey = [0xA0] },
        .registering("a key of ES384", .algorithm) {
            $0.publicKey = TestCBOR.map([(TestCBOR.integer(3), TestCBOR.integer(-35))])
        },
        .registering("a point that is not on the curve", .publicKey) {
            $0.publicKey = TestCBOR.map([
                (TestCBOR.integer(1), TestCBOR.integer(2)),
                (TestCBOR.integer(3), TestCBOR.integer(-7)),
                (TestCBOR.integer(-1), TestCBOR.integer(1)),
                (TestCBOR.integer(-2), TestCBOR.bytes([UInt8](repeating: 1, count: 32))),
                (TestCBOR.integer(-3), TestCBOR.bytes([UInt8](repeating: 1, count: 32))),
            ])
        },
    ]

    private static let assertions: [PasskeyMutation] = [
        .assertion("authenticator data with padding", .authenticatorData) {
            $0.authenticatorData += "="
        },
        .assertion("36 bytes of authenticator data", .authenticatorData) {
            $0.authenticatorData = Base64URL.encode(bytes($0.authenticatorData).dropLast())
        },
        .assertion("no authenticator data", .authenticatorData) { $0.authenticatorData = "" },
        .signing("another user handle", .userHandle) {
            $0.userHandle = Base64URL.encode([UInt8](repeating: 0xA2, count: 32))
        },
        .signing("a user handle that is cut", .userHandle) {
            $0.userHandle = Base64URL.encode([UInt8](repeating: 0xA1, count: 31))
        },
        .signing("a user handle that is no Base64url", .userHandle) { $0.userHandle = "a" },
        .assertion("a signature with padding", .signature) { $0.signature += "=" },
        .assertion("no signature", .signature) { $0.signature = "" },
        .assertion("a signature of 513 bytes", .signature) {
            $0.signature = Base64URL.encode([UInt8](repeating: 0, count: 513))
        },
        .assertion("a signature that is cut", .signature) {
            $0.signature = Base64URL.encode(bytes($0.signature).dropLast())
        },
        .assertion("a signature with a byte after it", .signature) {
            $0.signature = Base64URL.encode(bytes($0.signature) + [0])
        },
        .assertion("a count that was changed", .signature) {
            var changed = bytes($0.authenticatorData)
            changed[36] ^= 1
            $0.authenticatorData = Base64URL.encode(changed)
        },
        .assertion("client data that was changed after signing", .signature) {
            $0.clientDataJSON = Base64URL.encode(bytes($0.clientDataJSON) + [0x20])
        },
    ]
}
