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
