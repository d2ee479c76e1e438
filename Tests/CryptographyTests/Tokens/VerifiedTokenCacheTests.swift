import Testing

@testable import Cryptography

@Suite("S-01: the cache of verified tokens")
struct VerifiedTokenCacheTests {
    @Test("a cached token is found, and one that differs in any byte is not")
    func look() {
        let tokens = VerifiedTokenCache<Int>()
        let token = "eyJ.K" + String(repeating: "a", count: 500)
        tokens.insert(7, for: token)
        #expect(tokens[token] == 7)
        let others = [
            "", token + "a", String(token.dropLast()), "fyJ" + token.dropFirst(3),
            // U+212A equals the letter K when compared as a String.
            token.replacing("K", with: "\u{212A}"),
        ]
        for other in others { #expect(tokens[other] == nil, "\(other.prefix(8))") }
    }

    @Test("it retains at least the newest half and never more than its limit")
    func bounded() {
        let tokens = VerifiedTokenCache<Int>()
        let countMax = VerifiedTokenCache<Int>.countMax
        for number in 0..<(3 * countMax) { tokens.insert(number, for: "token \(number)") }
        let cached = (0..<(3 * countMax)).filter { tokens["token \($0)"] == $0 }
        #expect(cached.count <= countMax)
        #expect(cached.count >= countMax / 2)
        #expect(cached.suffix(countMax / 2).elementsEqual((5 * countMax / 2)..<(3 * countMax)))
    }
}
