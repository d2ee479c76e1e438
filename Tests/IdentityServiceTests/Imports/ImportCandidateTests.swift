import Contracts
import Messages
import ServiceRuntime
import Testing

@testable import AccountLife
@testable import IdentityService

@Suite("Validation of an imported record")
struct ImportCandidateTests {
    private static let now = Timestamp(milliseconds: 1_767_225_600_000)

    private func read(
        source: String = "s", _ change: (inout IdentityV1.AccountRecord) -> Void
    ) throws -> ImportCandidate {
        var record = ImportFixture.record()
        change(&record)
        return try ImportCandidate(
            record,
            ImportCandidate.Terms(
                source: source, isEmailTrusted: true, defaultLanguage: "en", takenAt: Self.now,
                passkeys: PasskeySettings()))
    }

    private func refused(_ change: (inout IdentityV1.AccountRecord) -> Void) -> String {
        do {
            _ = try read(change)
            return "taken"
        } catch let refusal as ImportRule.Refusal {
            return "\(refusal.field) \(refusal.reason)"
        } catch {
            return "\(error)"
        }
    }

    private static func link(_ method: String, _ subject: String = "1")
        -> IdentityV1.ProviderIdentity
    {
        .init(method: method, issuer: "https://i.example", subject: subject)
    }

    @Test("a record with an invalid credential or id is refused, with the field")
    func refusals() {
        #expect(refused { $0.externalId = "" } == "external_id ")
        #expect(refused { $0.externalId = String(repeating: "x", count: 257) } == "external_id ")
        #expect(refused { $0.source = String(repeating: "x", count: 65) } == "external_id ")
        #expect(refused { $0.email = "no address" } == "email ")
        #expect(refused { $0.email = "" } == "email nothing-to-sign-in-by")
        #expect(refused { $0.passwordHash = "$1$x" } == "password_hash unknown-algorithm")
        #expect(
            refused { $0.passwordHash = ImportFixture.bcrypt.replacing("$04$", with: "$31$") }
                == "password_hash too-costly")
        for number in ["4915112345678", "+0915112345678", "+49151", "+49 151 12345678", "+"]
            + ["+99912345678"]
        {
            #expect(refused { $0.phoneNumber = number } == "phone_number ")
        }
        for (number, rule) in [
            ("+49015112345678", "trunk-prefix"), ("+3361234567", "digit-count"),
            ("+499001234567", "number-kind"),
        ] {
            #expect(refused { $0.phoneNumber = number } == "phone_number \(rule)")
        }
        for method in ["", "Google", "a b", String(repeating: "g", count: 33)]
            + SignInMethod.reservedNames.sorted()
        {
            #expect(refused { $0.identities = [Self.link(method)] } == "identities method")
        }
        #expect(refused { $0.identities = [Self.link("g", "")] } == "identities subject")
        for (method, issuer) in [
            ("google", "https://i.example"), ("google", "https://appleid.apple.com"),
            ("apple", "https://i.example"), ("g", "accounts.google.com"),
            ("g", "https://appleid.apple.com"),
        ] {
            let identity = IdentityV1.ProviderIdentity(
                method: method, issuer: issuer, subject: "1")
            #expect(refused { $0.identities = [identity] } == "identities issuer")
        }
        #expect(
            refused { $0.identities = [Self.link("g"), Self.link("g", "2")] }
                == "identities two-of-one-method")
        #expect(
            refused { $0.identities = [Self.link("g", "1"), Self.link("h", "1")] }
                == "identities two-of-one-subject")
        #expect(
            refused { $0.identities = (0..<17).map { Self.link("g\($0)") } }
                == "identities too-many")
        for claims in [
            "[]", "{", #"{"a":1,"a":2}"#, "{\"a\":\"\(String(repeating: "x", count: 1_000))\"}",
        ] {
            #expect(refused { $0.customClaims = claims } == "custom_claims ")
        }
        #expect(refused { $0.roles = ["Admin"] } == "roles ")
    }

    @Test("I-10: claims with names that a token has already are left out, and reported")
    func reservedClaims() throws {
        let read = try read { $0.customClaims = #"{"sub":"x","team":"blue","roles":["admin"]}"# }
        #expect(read.claims == AccountClaims(json: #"{"team":"blue"}"#))
        #expect(read.altered == ["custom_claims"])
        let roles = try self.read { $0.roles = ["admin"] }
        #expect(roles.claims.roles == ["admin"] && roles.altered == [])
    }

    @Test("invalid optional fields are cut or left out, and reported")
    func altered() throws {
        let read = try read { record in
            record.displayName = "A\u{7}da\n" + String(repeating: "x", count: 200)
            record.photoUrl = "javascript:alert(1)"
            record.language = "no language"
            record.createdAtMs = Self.now.milliseconds + 2 * 86_400_000
            record.lastSignInAtMs = -1
        }
        #expect(read.displayName == "Ada" + String(repeating: "x", count: 125))
        #expect(read.photoURL == "" && read.language == "en")
        #expect(read.createdAt == Self.now && read.lastSignInAt == nil)
        #expect(
            read.altered == [
                "display_name", "photo_url", "language", "created_at_ms", "last_sign_in_at_ms",
            ])
        #expect(try self.read { $0.displayName = "Ada" }.altered == [])
        #expect(try self.read { $0.displayName = "\u{202E}Ada L." }.displayName == "Ada L.")
        #expect(try self.read { $0.displayName = "  \u{200B}" }.displayName == "")
    }

    @Test("a record's own source takes precedence over the request's")
    func source() throws {
        #expect(try read(source: "a") { _ in }.imported.source == "a")
        #expect(try read(source: "a") { $0.source = "b" }.imported.source == "b")
        #expect(throws: ImportRule.Refusal.self) { try read(source: "") { _ in } }
    }

    @Test("both spellings of Google's issuer are one identity")
    func spellings() throws {
        for issuer in ["accounts.google.com", "https://accounts.google.com"] {
            let read = try read {
                $0.identities = [.init(method: "google", issuer: issuer, subject: "1")]
            }
            #expect(read.identities.map(\.issuer) == ["https://accounts.google.com"])
        }
    }

    @Test("an Apple relay address is recognised; an imported identity's email is unverified")
    func relay() throws {
        let read = try read { record in
            record.identities = [
                .init(
                    method: "apple", issuer: "https://appleid.apple.com", subject: "1",
                    email: "x@privaterelay.appleid.com")
            ]
        }
        let email = try #require(read.identities.first?.email)
        #expect(email.isRelay && !email.isVerified)
    }
}
