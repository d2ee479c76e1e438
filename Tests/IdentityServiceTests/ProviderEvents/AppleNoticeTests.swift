import Addresses
import JSON
import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("How Apple's notices are read")
struct AppleNoticeTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)
    private static let relay = "x7k2@privaterelay.appleid.com"

    @Test("G-05: `events` is read as JSON text, which Apple sends, and as an object")
    func forms() throws {
        let events: JSONObject = [
            "type": .string("consent-revoked"), "sub": .string("001"),
            "event_time": .integer(1_799_999_990),
        ]
        for form in [JSONValue.object(events), .string(JSONWriter.text(events))] {
            let notice = try Self.read(["events": form])
            #expect(notice.event == .consentRevoked && notice.subject == "001")
            #expect(notice.id == "jti-1")
            #expect(notice.at == Timestamp(milliseconds: 1_799_999_990_000))
        }
    }

    @Test(
        "G-05: each event is recognised by its name",
        arguments: [
            ("consent-revoked", ProviderNotice.Event.consentRevoked),
            ("account-delete", .accountDeleted), ("account-deleted", .accountDeleted),
            ("", .other), ("Consent-Revoked", .other), ("something-new", .other),
        ])
    func kinds(type: String, event: ProviderNotice.Event) throws {
        #expect(try Self.read(events: ["type": .string(type)]).event == event)
    }

    @Test("G-05: turning a relay address off and on is read with the address")
    func relays() throws {
        let address = try #require(EmailAddress(Self.relay))
        for (type, isOff) in [("email-disabled", true), ("email-enabled", false)] {
            for isPrivate in [JSONValue.string("true"), .boolean(true)] {
                let notice = try Self.read(events: [
                    "type": .string(type), "email": .string(Self.relay),
                    "is_private_email": isPrivate,
                ])
                #expect(notice.event == .relay(address, isOff: isOff))
            }
        }
    }

    @Test(
        "an event about an address that is not a relay is ignored",
        arguments: [
            JSONValue.string("false"), .boolean(false), .integer(1), .null, .string("TRUE"),
        ])
    func noRelay(isPrivate: JSONValue) throws {
        let notice = try Self.read(events: [
            "type": .string("email-disabled"), "email": .string("ada@example.org"),
            "is_private_email": isPrivate,
        ])
        #expect(notice.event == .other)
        let none = try Self.read(events: [
            "type": .string("email-disabled"), "is_private_email": .boolean(true),
        ])
        #expect(none.event == .other)
    }

    @Test(
        "a time is read in seconds or milliseconds, falls back to iat, and is never in the future",
        arguments: [
            (JSONValue.integer(1_799_999_000), Int64(1_799_999_000_000)),
            (.integer(1_799_999_000_123), 1_799_999_000_123),
            (.integer(1_900_000_000), 1_800_000_000_000),
            (.integer(.max), 1_800_000_000_000),
            (.integer(-1), 1_799_999_995_000), (.string("1799999000"), 1_799_999_995_000),
            (.real(1.5), 1_799_999_995_000), (.null, 1_799_999_995_000),
        ])
    func times(claim: JSONValue, milliseconds: Int64) throws {
        let notice = try Self.read(events: [
            "type": .string("consent-revoked"), "event_time": claim,
        ])
        #expect(notice.at == Timestamp(milliseconds: milliseconds))
    }

    private static let hostile:
        [(name: String, change: (String, JSONValue?), why: ProviderNotice.Refusal)] =
            [
                ("no issuer", ("iss", nil), .claims),
                ("another issuer", ("iss", .string("evil")), .issuer),
                (
                    "the issuer with a slash", ("iss", .string("https://appleid.apple.com/")),
                    .issuer
                ),
                ("no audience", ("aud", nil), .claims),
                ("an empty list", ("aud", .array([])), .claims),
                ("another audience", ("aud", .string("com.evil")), .audience),
                ("one of two", ("aud", .array([.string("app"), .string("com.evil")])), .audience),
                ("no jti", ("jti", nil), .claims), ("an empty jti", ("jti", .string("")), .claims),
                ("a jti that is a number", ("jti", .integer(1)), .claims),
                ("a long jti", ("jti", .string(String(repeating: "j", count: 256))), .claims),
                ("no iat", ("iat", nil), .claims),
                ("iat as a text", ("iat", .string("1")), .claims),
                ("iat ahead", ("iat", .integer(1_800_000_061)), .future),
                ("a week old", ("iat", .integer(1_800_000_000 - 604_800)), .old),
                ("expired", ("exp", .integer(1_799_999_940)), .old),
                ("exp as a text", ("exp", .string("2000000000")), .claims),
                ("no events", ("events", nil), .claims),
                ("a list", ("events", .array([])), .claims),
                ("events as invalid JSON", ("events", .string("consent-revoked")), .claims),
                ("an ID token's claims", ("events", .null), .claims),
                ("no subject", ("events", .string(#"{"type":"consent-revoked"}"#)), .claims),
                ("an empty subject", ("events", .string(#"{"type":"x","sub":""}"#)), .claims),
                ("no type", ("events", .string(#"{"sub":"001"}"#)), .claims),
                (
                    "two subjects", ("events", .string(#"{"type":"x","sub":"1","sub":"2"}"#)),
                    .claims
                ),
            ]

    @Test("G-05: a notice with an invalid or old claim is refused", arguments: hostile.indices)
    func refused(row: Int) {
        let (name, change, why) = Self.hostile[row]
        #expect(throws: why, "\(name)") { try Self.read([change.0: change.1]) }
    }

    @Test("the limits of a notice's age are exact")
    func edges() throws {
        _ = try Self.read(["iat": .integer(1_800_000_060)])
        _ = try Self.read(["iat": .integer(1_800_000_000 - 604_799)])
        _ = try Self.read(["exp": .integer(1_799_999_941)])
        _ = try Self.read(["exp": nil])
        _ = try Self.read(["aud": .array([.string("app"), .string("app.two")])])
    }

    private static func read(events: JSONObject) throws -> ProviderNotice {
        var events = events
        _ = events.add("sub", .string("001"))
        return try read(["events": .string(JSONWriter.text(events))])
    }

    /// A valid notice with `changes`. A nil value removes the claim.
    private static func read(_ changes: [String: JSONValue?]) throws -> ProviderNotice {
        let good: JSONObject = [
            "iss": .string("https://appleid.apple.com"), "aud": .string("app"),
            "iat": .integer(1_799_999_995), "exp": .integer(1_800_086_395),
            "jti": .string("jti-1"), "events": .string(#"{"type":"x","sub":"001"}"#),
        ]
        var claims = JSONObject()
        for member in good.members {
            let value = changes[member.name] ?? member.value
            if let value { _ = claims.add(member.name, value) }
        }
        return try AppleNotice(
            claims, issuers: ["https://appleid.apple.com"], audiences: ["app", "app.two"], at: now
        ).notice
    }
}
