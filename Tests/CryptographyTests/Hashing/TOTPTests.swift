import ServiceRuntime
import TestSupport
import Testing

@testable import Cryptography

@Suite("F-03: codes of authenticator apps")
struct TOTPTests {
    /// The secret of the vectors of RFC 6238 and RFC 4226.
    private static let secret = SecretBytes("12345678901234567890")

    private func typed(_ text: String) -> TOTPCode? { TOTPCode(typed: SecretBytes(text)) }

    private func code(_ moment: Timestamp, _ offset: Int64 = 0) -> TOTPCode? {
        let digits = TOTP.code(of: Self.secret, at: TOTP.step(at: moment) + offset)
        return TOTPCode(typed: SecretBytes(copying: digits))
    }

    /// Of the eight digits the last six, which are the number modulo a million.
    @Test(
        "RFC 6238, appendix B",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"),
            (1_234_567_890, "89005924"), (2_000_000_000, "69279037"),
            (20_000_000_000, "65353130"),
        ])
    func times(seconds: Int64, digits: String) {
        let step = TOTP.step(at: Timestamp(milliseconds: seconds * 1_000))
        let code = String(decoding: TOTP.code(of: Self.secret, at: step), as: UTF8.self)
        #expect(code == digits.suffix(6))
    }

    @Test("RFC 4226, appendix D")
    func counters() {
        let codes = (0..<10).map {
            String(decoding: TOTP.code(of: Self.secret, at: Int64($0)), as: UTF8.self)
        }
        #expect(
            codes == [
                "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583",
                "399871", "520489",
            ])
    }

    @Test("a code is right in its step, in the one before and in the one after, to the millisecond")
    func window() throws {
        let start = Timestamp(milliseconds: 1_767_225_600_000)
        let step = TOTP.step(at: start)
        for (moment, current) in [
            (start, step), (start + .milliseconds(29_999), step),
            (start + .milliseconds(30_000), step + 1), (start - .milliseconds(1), step - 1),
        ] {
            #expect(TOTP.step(at: moment) == current)
            for offset in Int64(-3)...3 {
                let code = code(moment, offset)
                let found = TOTP.step(of: try #require(code), Self.secret, at: moment, after: .min)
                #expect(found == ((-1...1).contains(offset) ? current + offset : nil), "\(offset)")
            }
        }
    }

    /// Attack: a code is seen while it is typed, and used once more (CVE-2025-6014, CVE-2026-33473).
    @Test("a code is right above the step of the latest one alone")
    func once() throws {
        let now = Timestamp(milliseconds: 1_767_225_600_000)
        let step = TOTP.step(at: now)
        for last in step - 3...step + 2 {
            for offset in Int64(-1)...1 {
                let code = code(now, offset)
                let found = TOTP.step(
                    of: try #require(code), Self.secret, at: now, after: last)
                #expect(found == (step + offset > last ? step + offset : nil))
            }
        }
    }

    @Test("six ASCII digits are a code, with spaces between, and nothing else is")
    func typing() {
        let plain = typed("123456")
        for text in ["123 456", " 1 2 3 4 5 6 ", "123456 " + String(repeating: " ", count: 25)] {
            #expect(typed(text) == plain && plain != nil, "\(text)")
        }
        for text in [
            "", "12345", "1234567", "12345a", "123-456", "123\u{A0}456", "１２３４５６", "١٢٣٤٥٦",
            "123456\n", "-12345", "12345\u{0}", "123456" + String(repeating: " ", count: 27),
        ] {
            #expect(typed(text) == nil, "\(text)")
        }
        #expect(typed("012345")?.withBytes { Array($0) } == Array("012345".utf8))
    }

    @Test("another secret has other codes")
    func secrets() {
        let other = SecretBytes("12345678901234567891")
        let codes = (0..<100).map { TOTP.code(of: Self.secret, at: $0) }
        #expect(zip(codes, 0..<100).allSatisfy { $0.0 != TOTP.code(of: other, at: $0.1) })
        #expect(codes.allSatisfy { $0.count == TOTP.digits })
    }
}
