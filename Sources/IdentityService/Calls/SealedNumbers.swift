package import Cryptography

extension SealedBox {
    /// A token of numbers. It is sealed, so it reveals nothing and cannot be forged.
    /// - Parameter place: Names the purpose: a token for anything else does not open there.
    /// - Throws: when sealing fails.
    package func token(of numbers: [Int64], at place: SealedPlace) throws -> String {
        Base64URL.encode(try seal(numbers.bigEndianBytes, at: place))
    }

    /// The numbers of a token; nil for an invalid one.
    package func numbers(of token: String, count: Int, at place: SealedPlace) -> [Int64]? {
        // The caller gets the same answer for every invalid token, so the reason is dropped.
        guard let sealed = Base64URL.decode(token.utf8), let bytes = try? open(sealed, at: place),
            let numbers = [Int64](bigEndianBytes: bytes), numbers.count == count
        else { return nil }
        return numbers
    }
}
