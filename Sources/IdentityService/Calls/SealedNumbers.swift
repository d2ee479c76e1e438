import Cryptography
import ServiceRuntime

extension SealedBox {
    /// A token of numbers. It is sealed, so it reveals nothing and cannot be forged.
    /// - Parameter place: Names the purpose: a token for anything else does not open there.
    /// - Throws: when sealing fails.
    func token(of numbers: [Int64], at place: SealedPlace) throws -> String {
        Base64URL.encode(try seal(numbers.bigEndianBytes, at: place))
    }

    /// The numbers of a token; nil for an invalid one.
    func numbers(of token: String, count: Int, at place: SealedPlace) -> [Int64]? {
        // The caller gets the same answer for every invalid token, so the reason is dropped.
        guard let sealed = Base64URL.decode(token.utf8), let bytes = try? open(sealed, at: place),
            let numbers = [Int64](bigEndianBytes: bytes), numbers.count == count
        else { return nil }
        return numbers
    }
}

extension [Int64] {
    /// The numbers, 8 bytes each, big-endian.
    var bigEndianBytes: [UInt8] {
        flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) } }
    }

    /// Reads `bigEndianBytes`. Returns nil if the last number is cut.
    init?(bigEndianBytes bytes: [UInt8]) {
        guard bytes.count % 8 == 0 else { return nil }
        self = stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reduce(0) { $0 << 8 | Int64($1) }
        }
    }
}
