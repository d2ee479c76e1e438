import Cryptography
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("What a page keeps in its cookie")
struct PageVisitTests {
    private let randomness = SeededRandomness()
    private let now = Timestamp(milliseconds: 1_767_225_600_000)

    private func seal(_ seed: UInt8 = 1) throws -> PageVisitSeal {
        try PageVisitSeal(
            SecretBytes(copying: [UInt8](repeating: seed, count: 32)), randomness: randomness)
    }

    private func visit() -> PageVisit {
        var visit = PageVisit(randomness)
        visit.linkToken = "token-1"
        visit.link = PageLink(email: "ada@example.org", proof: .nothing)
        visit.language = .german
        visit.continueURI = "https://shop.example.org/signed-in?a=\"b\""
        return visit
    }

    @Test("it is read again as it was, by every instance with the key")
    func roundTrip() throws {
        let value = try seal().seal(visit(), of: .verifyEmail, at: now)
        var second = try #require(try seal().open(value, of: .verifyEmail, at: now))
        #expect(second.linkToken == "token-1")
        #expect(second.link == PageLink(email: "ada@example.org", proof: .nothing))
        #expect(second.language == .german)
        #expect(second.continueURI == "https://shop.example.org/signed-in?a=\"b\"")
        #expect(second.secret.count == 32)
        second.language = nil
        let third = try seal().seal(second, of: .verifyEmail, at: now)
        #expect(try seal().open(third, of: .verifyEmail, at: now) == second)
    }

    @Test("the token cannot be read in it, and it fits a cookie")
    func hidden() throws {
        var visit = visit()
        visit.linkToken = String(repeating: "a", count: 128)
        // The longest address that can be entered.
        visit.link = PageLink(email: String(repeating: "c", count: 512), proof: .password)
        visit.continueURI = String(repeating: "b", count: PageVisit.continueBytesMax)
        let value = try seal().seal(visit, of: .resetPassword, at: now)
        #expect(!value.contains("aaaa"))
        let sealed = try #require(Base64URL.decode(value.utf8))
        let text = String(decoding: sealed, as: UTF8.self)
        #expect(!text.contains("aaaa") && !text.contains("cccc"))
        #expect(value.utf8.count <= 3_500)
    }

    @Test("it ends after ten minutes")
    func expiry() throws {
        let value = try seal().seal(visit(), of: .verifyEmail, at: now)
        let last = now + PageVisit.lifetime - .seconds(1)
        #expect(try seal().open(value, of: .verifyEmail, at: last) != nil)
        #expect(try seal().open(value, of: .verifyEmail, at: last + .seconds(1)) == nil)
    }

    @Test("F-03: it has the challenge of a sign-in, as far as a person has come with it")
    func challenge() throws {
        let asked = ServiceError.SecondProof(
            challenge: "challenge-1", kinds: ["passkey", "totp_code", "phone_code"],
            expiresAtMs: 0, hints: ["", "", "••• 0100"])
        var visit = visit()
        var challenge = try #require(PageChallenge(asked, takesPasskeys: false))
        #expect(challenge.ways.map(\.kind) == [.totp, .phone] && challenge.chosen == .totp)
        challenge.choose(.recovery)
        #expect(challenge.chosen == .totp, "it would not do")
        challenge.choose(.phone)
        challenge.recordSending()
        visit.challenge = challenge
        let value = try seal().seal(visit, of: .resetPassword, at: now)
        let read = try #require(try seal().open(value, of: .resetPassword, at: now))
        #expect(read.challenge == challenge)
        let form = try #require(read.challenge).form(mayBeginAgain: true)
        #expect(form.isSent && form.way.hint == "••• 0100" && form.others.map(\.kind) == [.totp])
        challenge.choose(.totp)
        #expect(!challenge.isSent)
        for kinds in [[], ["passkey", "provider_token"]] {
            let other = ServiceError.SecondProof(
                challenge: "c", kinds: kinds, expiresAtMs: 0, hints: [])
            #expect(PageChallenge(other, takesPasskeys: false) == nil)
        }
        let byPasskey = try #require(PageChallenge(asked, takesPasskeys: true))
        #expect(byPasskey.ways.map(\.kind) == [.passkey, .totp, .phone])
    }

    @Test("F-03: with a session it ends when that ends, and still fits a cookie")
    func session() throws {
        var visit = visit()
        visit.linkToken = ""
        visit.continueURI = ""
        visit.link = PageLink(email: String(repeating: "c", count: 254), proof: .password)
        visit.session = PageSession(
            accessToken: String(repeating: "a", count: 1_600), endsAt: now + .seconds(900))
        let value = try seal().seal(visit, of: .security, at: now + .seconds(400))
        #expect(value.utf8.count <= 3_500 && !value.contains("aaaa"))
        let last = now + .seconds(899)
        #expect(try seal().open(value, of: .security, at: last)?.session == visit.session)
        #expect(try seal().open(value, of: .security, at: last + .seconds(1)) == nil)
        let largest = ["kid", String(repeating: "\"x\":1,", count: 320), "s"].map {
            Base64URL.encode(String(repeating: $0, count: $0.count > 3 ? 1 : 40).utf8)
        }.joined(separator: ".")
        visit.session = PageSession(accessToken: largest, endsAt: now + .seconds(900))
        let long = try seal().seal(visit, of: .security, at: now)
        #expect(largest.utf8.count > 2_600 && long.utf8.count <= 3_800)
        #expect(try seal().open(long, of: .security, at: now)?.session == visit.session)
        #expect(visit.life(at: now + .seconds(400)) == .seconds(500))
        #expect(visit.life(at: now + .seconds(1_000)) == .zero)
        #expect(self.visit().life(at: now) == PageVisit.lifetime)
    }

    @Test("F-03: the secret of a set-up comes back to its own visit only, and as it was")
    func setUp() throws {
        let (visit, other) = (visit(), PageVisit(randomness))
        let setUp = PageSetUp(
            enrollmentToken: "token", secret: "SECRET", uri: "otpauth://totp/x", expiresAt: now)
        let value = try seal().seal(setUp, of: visit)
        #expect(try seal().setUp(value, of: visit) == setUp)
        #expect(try seal().setUp(value, of: other) == nil)
        #expect(try seal(2).setUp(value, of: visit) == nil)
        let sealed = try #require(Base64URL.decode(value.utf8))
        #expect(!String(decoding: sealed, as: UTF8.self).contains("SECRET"))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try seal().setUp(Base64URL.encode(changed), of: visit) == nil)
        }
        // The cookie is no set-up.
        let cookie = try seal().seal(visit, of: .security, at: now)
        #expect(try seal().setUp(cookie, of: visit) == nil)
    }

    @Test("one under another key, or of another page, is none")
    func other() throws {
        let value = try seal().seal(visit(), of: .verifyEmail, at: now)
        #expect(try seal(2).open(value, of: .verifyEmail, at: now) == nil)
        for page in Page.allCases where page != .verifyEmail {
            #expect(try seal().open(value, of: page, at: now) == nil)
        }
    }

    @Test("a changed or shortened one is none")
    func forged() throws {
        let sealed = try #require(
            Base64URL.decode(try seal().seal(visit(), of: .verifyEmail, at: now).utf8))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            let value = Base64URL.encode(changed)
            #expect(try seal().open(value, of: .verifyEmail, at: now) == nil, "byte \(index)")
            let short = Base64URL.encode(sealed[..<index])
            #expect(try seal().open(short, of: .verifyEmail, at: now) == nil)
        }
        for garbage in ["", "a", "%", String(repeating: "A", count: 400)] {
            #expect(try seal().open(garbage, of: .verifyEmail, at: now) == nil)
        }
    }

    @Test("a key has 32 bytes")
    func key() {
        #expect(throws: CryptographyError.self) {
            try PageVisitSeal(SecretBytes(copying: [1, 2, 3]), randomness: randomness)
        }
    }

    @Test(
        "tokens of links are base64url",
        arguments: [
            ("AgF0V3_JqStWag-A", true), ("", false), ("a b", false), ("a;b", false),
            ("a\r\nx: y", false), (String(repeating: "a", count: 129), false),
        ])
    func tokens(text: String, isOne: Bool) {
        #expect(PageVisit.isLinkToken(text) == isOne)
    }
}
