import Addresses
import Cryptography
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import IdentityService

/// A six-digit code, and what its hash is bound to.
struct PhoneCodeTests {
    @Test("I-06: each digit is equally likely at each position")
    func spread() {
        let randomness = SeededRandomness(seed: 12)
        let count = 30_000
        var seen = [[Int]](repeating: [Int](repeating: 0, count: 10), count: 6)
        for _ in 0..<count {
            for (place, digit) in PhoneCode.drawn(from: randomness).digits.utf8.enumerated() {
                seen[place][Int(digit) - 48] += 1
            }
        }
        for place in seen {
            let expected = Double(count) / 10
            let chiSquare = place.reduce(0.0) { sum, found in
                sum + (Double(found) - expected) * (Double(found) - expected) / expected
            }
            // Nine degrees of freedom: above 33.7 once in ten thousand.
            #expect(chiSquare < 33.7)
        }
    }

    @Test("I-06: a random number above the last whole million is drawn again, to avoid bias")
    func bias() {
        let whole = UInt64.max - UInt64.max % 1_000_000
        let scripted = ScriptedRandomness([whole, .max, whole - 1])
        #expect(PhoneCode.drawn(from: scripted).digits == "999999")
        #expect(PhoneCode.drawn(from: ScriptedRandomness([7])).digits == "000007")
    }

    @Test("I-06: a typed code is six ASCII digits, with a few optional spaces and nothing else")
    func typed() {
        #expect(PhoneCode(typed: "012345")?.digits == "012345")
        #expect(PhoneCode(typed: " 012 345 ")?.digits == "012345")
        for text in [
            "", "12345", "1234567", "12345a", "１２３４５６", "٠١٢٣٤٥", "-12345", "12345\u{0}",
            "123456\u{301}", String(repeating: " ", count: 40) + "123456",
        ] {
            #expect(PhoneCode(typed: text) == nil, "\(text)")
        }
    }

    @Test("I-06: a code is valid only for its request, purpose, account and number")
    func binding() throws {
        let fixture = try IdentityFixture()
        let code = try #require(PhoneCode(typed: "123456"))
        let request = PhoneCodeID.drawn(from: fixture.randomness)
        func binding(
            _ id: PhoneCodeID, _ purpose: PhoneCodePurpose, _ account: Int64?, _ number: String
        ) throws -> PhoneCodeBinding {
            PhoneCodeBinding(
                request: id, purpose: purpose, account: account.flatMap { AccountID(key: $0) },
                numberKey: fixture.keys.lookUpKey(of: try #require(PhoneNumber(number))))
        }
        let own = try binding(request, .prove, 7, "+4915112345678")
        let hash = own.hash(of: code, fixture.keys)
        #expect(own.isRight(code, hash: hash, fixture.keys))
        let other = try #require(PhoneCode(typed: "123457"))
        #expect(!own.isRight(other, hash: hash, fixture.keys))
        let others = [
            try binding(.drawn(from: fixture.randomness), .prove, 7, "+4915112345678"),
            try binding(request, .link, 7, "+4915112345678"),
            try binding(request, .prove, 8, "+4915112345678"),
            try binding(request, .prove, nil, "+4915112345678"),
            try binding(request, .prove, 7, "+4915112345679"),
        ]
        for binding in others { #expect(!binding.isRight(code, hash: hash, fixture.keys)) }
    }
}

/// Returns the given numbers in order.
private final class ScriptedRandomness: Randomness {
    private let numbers: Mutex<[UInt64]>

    init(_ numbers: [UInt64]) { self.numbers = Mutex(numbers) }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        let number = numbers.withLock { $0.isEmpty ? 0 : $0.removeFirst() }
        withUnsafeBytes(of: number) { buffer.copyMemory(from: $0) }
    }
}
