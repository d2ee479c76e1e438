import Testing

@testable import Cryptography

@Suite("S-01: tokens that were verified before")
struct VerifiedTokenCacheTests {
    @Test("what was kept is found, and nothing that differs in a byte")
    func look() {
        let tokens = VerifiedTokenCache<Int>()
        let token = "eyJ.K" + String(repeating: "a", count: 500)
        tokens.insert(7, for: token)
        #expect(tokens[token] == 7)
        let others = [
            "", token + "a", String(token.dropLast()), "fyJ" + token.dropFirst(3),
            // Equal to the letter K as a String: U+212A.
            token.replacing("K", with: "\u{212A}"),
        ]
        for other in others { #expect(tokens[other] == nil, "\(other.prefix(8))") }
    }

    @Test("it keeps the newest half at least, and never more than its limit")
    func bounded() {
        let tokens = VerifiedTokenCache<Int>()
        let countMax = VerifiedTokenCache<Int>.countMax
        for number in 0..<(3 * countMax) { tokens.insert(number, for: "token \(number)") }
        let kept = (0..<(3 * countMax)).filter { tokens["token \($0)"] == $0 }
        #expect(kept.count <= countMax)
        #expect(kept.count >= countMax / 2)
        #expect(kept.suffix(countMax / 2).elementsEqual((5 * countMax / 2)..<(3 * countMax)))
    }
}
