import Cryptography

/// The SHA-1 of a password in the form of the lists of leaked passwords: forty upper-case
/// hexadecimal digits. A weak password can be found from it by trying, so it is wiped like the
/// password.
struct PasswordSHA1: Sendable {
    /// The digits of a whole SHA-1.
    static let digitCount = 2 * SHA1.byteCount
    /// The digits of a range, which a service is asked for.
    static let rangeDigitCount = 5

    private let digits: SecretBytes

    /// Hashes a password, in Unicode Normalization Form C.
    init(_ password: Password) {
        let hash = SHA1.hash(password.bytes)
        digits = SecretBytes(count: Self.digitCount) { room in
            hash.withBytes { hash in
                for (index, byte) in hash.enumerated() {
                    room[2 * index] = Self.digit(byte >> 4)
                    room[2 * index + 1] = Self.digit(byte & 15)
                }
            }
        }
    }

    /// The first digits, which leave the machine. One password in a million has the same ones: of a
    /// list of a thousand million passwords about a thousand. So they do not tell which one it is.
    var range: String {
        digits.withBytes { digits in
            String(decoding: digits.prefix(Self.rangeDigitCount), as: UTF8.self)
        }
    }

    /// The place of a password in a sorted list, compared with a line of it.
    enum Place: Hashable, Sendable {
        case before
        case there
        case behind
    }

    /// Where this password is sorted, compared with a line.
    /// - Parameter first: The digit of the SHA-1 that the line begins with: 0 in a whole list.
    func place(besides line: ListedPassword, from first: Int = 0) -> Place {
        digits.withBytes { digits in
            for (own, listed) in zip(digits.dropFirst(first), line.digits) {
                let listed = HexadecimalDigit.upperCased(listed)
                if own != listed { return own < listed ? .before : .behind }
            }
            return .there
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}

/// One line of a list of leaked passwords: the digits of a SHA-1, or those after the range that was
/// asked for, and the number of leaks: `5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:52256179`.
struct ListedPassword {
    /// More than any password was leaked; a number of these digits cannot overflow.
    private static let countDigitsMax = 15

    /// The digits of the SHA-1, in either case.
    let digits: ArraySlice<UInt8>
    /// How many leaks had the password. 0 in a line that only pads an answer.
    let count: Int

    /// Reads a line without its line feed; a carriage return before that is left out. Nil for a line
    /// of another form.
    /// - Parameter digitCount: The number of digits of the SHA-1.
    init?(_ line: ArraySlice<UInt8>, digits digitCount: Int) {
        let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        let rest = line.dropFirst(digitCount)
        let number = rest.dropFirst()
        guard rest.first == UInt8(ascii: ":"), (1...Self.countDigitsMax).contains(number.count),
            number.allSatisfy({ $0.isDigit })
        else { return nil }
        digits = line.prefix(digitCount)
        for digit in digits where HexadecimalDigit.upperCased(digit) == 0 { return nil }
        count = number.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Whether `other` may be in the line after this one.
    func mayPrecede(_ other: ListedPassword) -> Bool {
        for (own, next) in zip(digits, other.digits) {
            let (own, next) = (
                HexadecimalDigit.upperCased(own), HexadecimalDigit.upperCased(next)
            )
            if own != next { return own < next }
        }
        return true
    }
}

/// By a table, since one look-up compares some thousand digits.
private enum HexadecimalDigit {
    private static let upperCasedDigits: [UInt8] = {
        var digits = [UInt8](repeating: 0, count: 256)
        for (upper, lower) in zip("0123456789ABCDEF".utf8, "0123456789abcdef".utf8) {
            digits[Int(upper)] = upper
            digits[Int(lower)] = upper
        }
        return digits
    }()

    /// The digit in upper case; 0 for a character that is none.
    static func upperCased(_ digit: UInt8) -> UInt8 { upperCasedDigits[Int(digit)] }
}
