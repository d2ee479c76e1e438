/// The parts of a hash's text between its dollar signs, read strictly: one hash has one text.
struct HashTextParts {
    /// Of the whole text: the longest has 128 bytes of hash and 64 of salt in Base64.
    private static let textBytesMax = 400

    private let parts: [Substring.UTF8View]

    /// The parts of `$a$b$c`; the first, before the first dollar sign, is empty and left out.
    init(_ text: String) throws(PasswordHashError) {
        let parts = text.utf8.split(
            separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.textBytesMax, parts.first?.isEmpty == true else {
            throw PasswordHashError(.malformed)
        }
        self.parts = Array(parts.dropFirst())
    }

    /// How many there are.
    var count: Int { parts.count }

    /// One part as text; empty where there are fewer.
    subscript(place: Int) -> String {
        parts.indices.contains(place) ? String(Substring(parts[place])) : ""
    }

    /// The numbers of `a=1,b=2`, where the names are these and in this order.
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

    /// The bytes of a part in unpadded Base64, of which there are as many as `allowed`.
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
