/// The kinds of ASCII characters that a name may have, besides its marks.
package struct NameCharacters: OptionSet, Sendable {
    /// A bit for each kind.
    package let rawValue: UInt8

    /// The kinds whose bits are set.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// a–z.
    package static let lower = NameCharacters(rawValue: 1)
    /// A–Z.
    package static let upper = NameCharacters(rawValue: 2)
    /// 0–9.
    package static let digit = NameCharacters(rawValue: 4)
    /// a–z and A–Z.
    package static let letter: NameCharacters = [.lower, .upper]

    fileprivate func includes(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): contains(.lower)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): contains(.upper)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): contains(.digit)
        default: false
        }
    }
}

extension Substring {
    /// Whether this is a name: so many bytes, each an ASCII character of these kinds or a mark.
    ///
    /// It compares bytes: Unicode's properties of a character would accept letters and digits of
    /// other scripts.
    /// - Parameters:
    ///   - length: how many bytes it may have.
    ///   - kinds: the kinds of characters.
    ///   - marks: further characters, of ASCII.
    package func isName(
        _ length: ClosedRange<Int>, _ kinds: NameCharacters, marks: String = ""
    ) -> Bool {
        length.contains(utf8.count)
            && utf8.allSatisfy { kinds.includes($0) || marks.utf8.contains($0) }
    }
}

extension String {
    /// A Swift or JSON name in lower case, with a mark before each word: `deviceId` as `device_id`
    /// or `device-id`.
    package func lowercased(joiningWordsBy mark: String) -> String {
        reduce(into: "") { $0 += $1.isUppercase ? mark + $1.lowercased() : String($1) }
    }

    /// Whether this is a name: so many bytes, each an ASCII character of these kinds or a mark.
    package func isName(
        _ length: ClosedRange<Int>, _ kinds: NameCharacters, marks: String = ""
    ) -> Bool {
        self[...].isName(length, kinds, marks: marks)
    }
}
