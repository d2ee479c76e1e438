/// The parts of a hash's text between its dollar signs, parsed strictly: each hash has only one
/// text.
struct HashTextParts {
    /// The limit on the whole text. The longest hash has 128 bytes of hash and 64 of salt in
    /// Base64.
    private static let textBytesMax = 400

    private let parts: [Substring.UTF8View]

    /// Splits `$a$b$c`. The empty part before the first dollar sign is omitted.
    /// - Throws: `PasswordHashError` with `.malformed`.
    init(_ text: String) throws(PasswordHashError) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.textBytesMax, parts.first?.isEmpty == true else {
            throw PasswordHashError(.malformed)
        }
        self.parts = Array(parts.dropFirst())
    }

    /// The number of parts.
    var count: Int { parts.count }

    /// One part as text. Empty where there is no such part.
    subscript(place: Int) -> String {
        parts.indices.contains(place) ? String(Substring(parts[place])) : ""
    }

    /// The numbers of `a=1,b=2`, which must have these names in this order.
    /// - Throws: `PasswordHashError` with `.malformed`.
    func numbers(_ names: [String], at place: Int) throws(PasswordHashError) -> [Int] {
        let fields = self[place].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == names.count else { throw PasswordHashError(.malformed) }
        var numbers: [Int] = []
        for (field, name) in zip(fields, names) {
            // A decimal number without leading zeros or sign.
            guard field.hasPrefix(name + "="),
                let number = Int(field.dropFirst(name.count + 1)),
                "\(number)" == field.dropFirst(name.count + 1)
            else { throw PasswordHashError(.malformed) }
            numbers.append(number)
        }
        return numbers
    }

    /// The bytes of a part in unpadded Base64. Their number must be in `allowed`.
    /// - Throws: `PasswordHashError` with `.malformed` or `.badLength`.
    func bytes(
        at place: Int, _ allowed: ClosedRange<Int>
    ) throws(PasswordHashError) -> [UInt8] {
        guard parts.indices.contains(place), let bytes = Base64.decodeUnpadded(parts[place]) else {
            throw PasswordHashError(.malformed)
        }
        guard allowed.contains(bytes.count) else { throw PasswordHashError(.badLength) }
        return bytes
    }
}
