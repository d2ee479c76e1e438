import Addresses
import JSON
import Messages
import Outbound
import ProviderIssuer
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

@Suite("Provider tokens: which emails are trusted", .timeLimit(.minutes(1)))
struct ProviderEmailTests {
    /// The identity in claims whose signature was verified.
    private func identity(
        _ members: [(String, JSONValue)], trust: Provider.EmailTrust = .verified,
        isApple: Bool = false
    ) throws -> ProvedIdentity {
        let time = ManualTime()
        let provider = Provider(
            name: "p", issuers: ["https://p.example"], audiences: ["a"],
            jwksLocation: .at(try #require(HTTPURL("https://p.example/keys", allowsPlain: false))),
            emailTrust: trust, namesComeWithRequest: isApple)
        let claims = IssuedClaims([
            ("iss", .string("https://p.example")), ("aud", .string("a")),
            ("sub", .string("1")), ("iat", .integer(time.now().seconds)),
            ("exp", .integer(time.now().seconds + 60)),
        ]).with(members)
        let object = try #require(JSONReader.object(in: Array(claims.text.utf8)))
        return try ProviderClaims(object, of: provider, at: time.now())
            .identity(of: provider, named: "Asked\nfor")
    }

    @Test(
        "X-04: email_verified is true only as the boolean true or the text \"true\"",
        arguments: [
            (JSONValue.boolean(true), true), (.string("true"), true), (.boolean(false), false),
            (.string("false"), false), (.string("TRUE"), false), (.string("1"), false),
            (.integer(1), false), (.null, false), (.array([.boolean(true)]), false),
            (.object(["true": .boolean(true)]), false),
        ])
    func verified(value: JSONValue, isVerified: Bool) throws {
        let identity = try identity([
            ("email", .string("ada@example.org")), ("email_verified", value),
        ])
        #expect(identity.subject == "1", "the identity is proved in each case")
        #expect(identity.email?.isVerified == isVerified)
    }

    @Test("X-04: an email without email_verified is unverified, and an invalid email is dropped")
    func absent() throws {
        #expect(try identity([("email", .string("a@b.example"))]).email?.isVerified == false)
        #expect(try identity([("email_verified", .boolean(true))]).email == nil)
        for text in ["", "ada", "ada@localhost", "a@b.example\n", "a@b.example,c@d.example"] {
            let claims: [(String, JSONValue)] = [
                ("email", .string(text)), ("email_verified", .boolean(true)),
            ]
            #expect(try identity(claims).email == nil, "\(text)")
        }
        #expect(try identity([("email", .array([.string("a@b.example")]))]).email == nil)
    }

    @Test(
        "each level of trust accepts only its own emails as verified",
        arguments: [
            (Provider.EmailTrust.none, "ada@gmail.com", nil, false),
            (.verified, "ada@example.org", nil, true),
            (.authoritative, "ada@gmail.com", nil, true),
            (.authoritative, "ada@GMAIL.com", nil, true),
            (.authoritative, "ada@notgmail.com", nil, false),
            (.authoritative, "ada@gmail.com.example.org", nil, false),
            (.authoritative, "ada@example.org", nil, false),
            (.authoritative, "ada@example.org", "", false),
            (.authoritative, "ada@example.org", "example.org", true),
            (.authoritative, "ada@Bücher.example", "bücher.EXAMPLE", true),
            (.authoritative, "ada@example.org", "other.example", false),
            (.authoritative, "ada@sub.example.org", "example.org", false),
            (.authoritative, "ada@example.org", "org", false),
            (.authoritative, "ada@example.org", "y@example.org", false),
        ] as [(Provider.EmailTrust, String, String?, Bool)])
    func trust(
        trust: Provider.EmailTrust, email: String, hosted: String?, isVerified: Bool
    ) throws {
        let claims: [(String, JSONValue)] = [
            ("email", .string(email)), ("email_verified", .boolean(true)),
        ]
        let hd = hosted.map { [("hd", JSONValue.string($0))] } ?? []
        #expect(try identity(claims + hd, trust: trust).email?.isVerified == isVerified)
        let denied = claims.map { ($0.0, $0.0 == "email" ? $0.1 : .boolean(false)) }
        #expect(try identity(denied + hd, trust: trust).email?.isVerified == false)
    }

    @Test("G-05: a relay address is recognised by its claim, as boolean or text, or by its domain")
    func relays() throws {
        func isRelay(_ email: String, _ value: JSONValue?) throws -> Bool? {
            let claim = value.map { [("is_private_email", $0)] } ?? []
            return try identity([("email", .string(email))] + claim).email?.isRelay
        }
        #expect(try isRelay("x@example.org", .boolean(true)) == true)
        #expect(try isRelay("x@example.org", .string("true")) == true)
        #expect(try isRelay("x@privaterelay.appleid.com", nil) == true)
        #expect(try isRelay("x@PrivateRelay.AppleID.com", .string("false")) == true)
        #expect(try isRelay("x@example.org", .string("false")) == false)
        #expect(try isRelay("x@example.org", .integer(1)) == false)
        #expect(try isRelay("x@evil-privaterelay.appleid.com", nil) == false)
    }

    @Test("an invalid name or picture is dropped, and the sign-in succeeds")
    func shown() throws {
        let long = String(repeating: "é", count: 129)
        for name in ["Ada\nLovelace", "\u{2028}", long] {
            #expect(try identity([("name", .string(name))]).displayName == "")
        }
        #expect(try identity([("name", .integer(1))]).displayName == "")
        #expect(try identity([], isApple: true).displayName == "", "the request's is checked too")
        for url in ["http://p.example/1.jpg", "javascript:1", "https://u@p.example/", "x", ""] {
            #expect(try identity([("picture", .string(url))]).photoURL == "")
        }
        #expect(
            try identity([("picture", .string("https://p.example/1"))]).photoURL
                == "https://p.example/1")
    }
}
