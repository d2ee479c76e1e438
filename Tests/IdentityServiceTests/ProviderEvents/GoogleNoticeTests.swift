import JSON
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("How Google's notices are read")
struct GoogleNoticeTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let family = "https://schemas.openid.net/secevent/"
    private static let risc = family + "risc/event-type/"
    private static let oauth = family + "oauth/event-type/"
    private static let person: JSONObject = [
        "subject_type": .string("iss-sub"), "iss": .string("https://accounts.google.com/"),
        "sub": .string("117"),
    ]

    private static let kinds: [(type: String, event: ProviderNotice.Event)] = [
        ("\(oauth)tokens-revoked", .consentRevoked), ("\(risc)account-purged", .accountDeleted),
        ("\(risc)sessions-revoked", .sessionsRevoked(isDisabled: false)),
        ("\(risc)account-disabled", .sessionsRevoked(isDisabled: true)),
        ("\(risc)account-enabled", .recorded(.accountEnabled)),
        ("\(risc)account-credential-change-required", .recorded(.credentialChangeRequired)),
        ("\(risc)something-new", .recorded(.other)), ("", .recorded(.other)),
        ("\(risc)tokens-revoked", .recorded(.other)),
    ]

    @Test("G-04: each event is recognised by its name", arguments: kinds.indices)
    func recognised(row: Int) throws {
        let (type, event) = Self.kinds[row]
        let notice = try #require(try Self.read(type, ["subject": .object(Self.person)]).notice)
        #expect(notice.event == event)
        #expect(notice.id == "jti-1" && notice.subject == "117")
        #expect(notice.at == Timestamp(milliseconds: 1_799_999_995_000))
    }

    @Test("G-04: an event about no person has a name for the log only")
    func aboutNoPerson() throws {
        let test = try Self.read("\(Self.risc)verification", ["state": .string("a")])
        #expect(test.notice == nil && test.name == "verification")
        let token = try Self.read(
            "\(Self.oauth)token-revoked",
            [
                "subject": .object([
                    "subject_type": .string("oauth_token"), "token": .string("hash"),
                ])
            ])
        #expect(token.notice == nil && token.name == "token-revoked")
        #expect(try Self.read("canary", [:]).name == "other")
        #expect(Set(GoogleNotice.EventType.allCases.map(\.name)).count == 8)
    }

    @Test(
        "the time of the event is before that of the token, and never in the future",
        arguments: [
            (JSONValue.integer(1_799_999_000), Int64(1_799_999_000_000)),
            (.integer(1_900_000_000), 1_800_000_000_000), (.integer(-1), 1_799_999_995_000),
            (.string("1799999000"), 1_799_999_995_000), (.null, 1_799_999_995_000),
        ])
    func times(claim: JSONValue, milliseconds: Int64) throws {
        let notice = try #require(try Self.read(["toe": claim]).notice)
        #expect(notice.at == Timestamp(milliseconds: milliseconds))
    }

    /// The claim `events` with one event about a subject.
    private static func events(about subject: JSONObject) -> JSONValue {
        let event: JSONObject = ["subject": .object(subject)]
        return .object([risc: .object(event)])
    }

    private static let two = JSONValue.object([oauth: .object([:]), risc: .object([:])])

    private static let hostile:
        [(name: String, change: (String, JSONValue?), why: ProviderNotice.Refusal)] = [
            ("no issuer", ("iss", nil), .claims),
            ("another issuer", ("iss", .string("https://evil.example")), .issuer),
            ("two slashes", ("iss", .string("https://accounts.google.com//")), .issuer),
            ("Apple", ("iss", .string("https://appleid.apple.com")), .issuer),
            ("no audience", ("aud", nil), .claims),
            ("another audience", ("aud", .string("com.evil")), .audience),
            ("one of two", ("aud", .array([.string("app"), .string("com.evil")])), .audience),
            ("no jti", ("jti", nil), .claims), ("an empty jti", ("jti", .string("")), .claims),
            ("no iat", ("iat", nil), .claims),
            ("iat ahead", ("iat", .integer(1_800_000_061)), .future),
            ("a week old", ("iat", .integer(1_800_000_000 - 604_800)), .old),
            ("an ID token", ("events", nil), .claims), ("a list", ("events", .array([])), .claims),
            ("a text, as of Apple", ("events", .string(#"{"type":"x","sub":"1"}"#)), .claims),
            ("no event", ("events", .object([:])), .claims),
            ("two events", ("events", two), .claims),
            ("an event as a text", ("events", .object([risc: .string("x")])), .claims),
            ("an empty subject", ("events", events(about: ["sub": .string("")])), .claims),
            ("a subject without issuer", ("events", events(about: ["sub": .string("1")])), .claims),
            (
                "another issuer's subject",
                (
                    "events",
                    events(about: ["iss": .string("https://evil.example"), "sub": .string("1")])
                ), .issuer
            ),
        ]

    @Test("G-04: a notice with an invalid or old claim is refused", arguments: hostile.indices)
    func refused(row: Int) {
        let (name, change, why) = Self.hostile[row]
        #expect(throws: why, "\(name)") { try Self.read([change.0: change.1]) }
    }

    @Test("the limits of a notice's age are exact, and it does not expire")
    func edges() throws {
        _ = try Self.read(["iat": .integer(1_800_000_060)])
        _ = try Self.read(["iat": .integer(1_800_000_000 - 604_799)])
        _ = try Self.read(["exp": .integer(1)])
        _ = try Self.read(["iss": .string("accounts.google.com")])
        _ = try Self.read(["aud": .array([.string("app"), .string("app.two")])])
    }

    private static func read(_ type: String, _ event: JSONObject) throws -> GoogleNotice {
        try read(["events": .object([type: .object(event)])])
    }

    /// A valid notice with `changes`. A nil value removes the claim.
    private static func read(_ changes: [String: JSONValue?]) throws -> GoogleNotice {
        let good: JSONObject = [
            "iss": .string("https://accounts.google.com/"), "aud": .string("app"),
            "iat": .integer(1_799_999_995), "jti": .string("jti-1"), "toe": .null, "exp": .null,
            "events": .object([
                "\(risc)sessions-revoked": .object(["subject": .object(person)])
            ]),
        ]
        var claims = JSONObject()
        for member in good.members {
            let value = changes[member.name] ?? member.value
            if let value, value != .null { _ = claims.add(member.name, value) }
        }
        return try GoogleNotice(
            claims, issuers: ["https://accounts.google.com", "accounts.google.com"],
            audiences: ["app", "app.two"], at: now)
    }
}
