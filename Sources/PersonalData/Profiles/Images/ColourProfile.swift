/// The colour space of a photo, where it is not sRGB (ICC.1:2022).
///
/// A photo without a profile is shown as sRGB. Phones and cameras write wider spaces, and without
/// their profile such a photo looks dull. But a profile is a file of its own, with texts, private
/// tags and tables of any length. So none is kept: its primaries are compared with those of known
/// spaces, and our own profile of that space takes its place. Of any other space the photo is left
/// without, and is shown as sRGB.
enum ColourProfile: CaseIterable {
    /// Of phones; with the tone curve of sRGB.
    case displayP3
    /// Of cameras and editors.
    case adobeRGB

    /// Tags that are read; a profile has about ten.
    private static let tagsMax = 100
    private static let headerBytes = 128
    /// How far a primary may be from the known one: writers round differently.
    private static let tolerance = 0.002
    /// The white to which the connection space refers, and the change to it from daylight (D65).
    private static let white = [0.9642, 1, 0.8249]
    private static let fromDaylight = [
        1.047_88, 0.022_92, -0.050_22, 0.029_59, 0.990_48, -0.017_07, -0.009_25, 0.015_08,
        0.751_68,
    ]

    /// The space of a profile; nil for sRGB, for an unknown one, and for what is no profile.
    init?(of icc: some Sequence<UInt8>) {
        let bytes = Array(icc)
        var header = ByteCursor(bytes[...])
        guard header.take(16) != nil, header.take(8)?.elementsEqual("RGB XYZ ".utf8) == true,
            header.take(12) != nil, header.take(4)?.elementsEqual("acsp".utf8) == true
        else { return nil }
        var tags = ByteCursor(bytes.dropFirst(Self.headerBytes))
        guard let count = tags.bigEndian(4), count <= Self.tagsMax else { return nil }
        var primaries: [String: [Double]] = [:]
        for _ in 0..<count {
            guard let name = tags.take(4), let offset = tags.bigEndian(4), tags.take(4) != nil
            else { return nil }
            var value = ByteCursor(bytes.dropFirst(offset))
            primaries[String(decoding: name, as: UTF8.self)] = Self.tristimulus(&value)
        }
        let found = Self.allCases.first { space in
            space.primaries.allSatisfy { name, wanted in
                guard let given = primaries[name] else { return false }
                return zip(given, wanted).allSatisfy { abs($0 - $1) <= Self.tolerance }
            }
        }
        guard let found else { return nil }
        self = found
    }

    private static func tristimulus(_ value: inout ByteCursor) -> [Double]? {
        guard value.take(8)?.starts(with: "XYZ ".utf8) == true else { return nil }
        let numbers = (0..<3).compactMap { _ in value.bigEndian(4) }
        return numbers.count == 3
            ? numbers.map { Double(Int32(truncatingIfNeeded: $0)) / 65_536 } : nil
    }

    /// Red, green and blue in the connection space, by their tags.
    private var primaries: [(String, [Double])] {
        switch self {
        case .displayP3:
            [
                ("rXYZ", [0.515_12, 0.241_2, -0.001_05]), ("gXYZ", [0.291_98, 0.692_25, 0.041_89]),
                ("bXYZ", [0.157_1, 0.066_57, 0.784_07]),
            ]
        case .adobeRGB:
            [
                ("rXYZ", [0.609_74, 0.311_11, 0.019_47]), ("gXYZ", [0.205_28, 0.625_67, 0.060_87]),
                ("bXYZ", [0.149_19, 0.063_22, 0.744_57]),
            ]
        }
    }

    private var name: String {
        switch self {
        case .displayP3: "Display P3"
        case .adobeRGB: "Adobe RGB"
        }
    }

    /// The kind of the tone curve, and its numbers (ICC.1:2022, 10.18).
    private var curve: (kind: Int, numbers: [Double]) {
        switch self {
        case .displayP3: (3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.040_45])
        case .adobeRGB: (0, [2.199_218_75])
        }
    }

    // MARK: our own profile

    /// The profile of this space, some 500 bytes, in version 4.2 of the format.
    var icc: [UInt8] {
        let tone = Self.bytes("para") + curve.kind.bigEndianBytes(2) + [0, 0]
        let values: [(tags: [String], value: [UInt8])] =
            [(["desc"], Self.text(name)), (["cprt"], Self.text("none"))]
            + primaries.map { ([$0], Self.xyz($1)) }
            + [
                (["wtpt"], Self.xyz(Self.white)),
                (["chad"], Self.bytes("sf32") + Self.fixed(Self.fromDaylight)),
                (["rTRC", "gTRC", "bTRC"], tone + Self.fixed(curve.numbers)),
            ]
        let count = values.reduce(0) { $0 + $1.tags.count }
        let start = Self.headerBytes + 4 + 12 * count
        var (table, content) = (count.bigEndianBytes(4), [UInt8]())
        for (tags, value) in values {
            for tag in tags {
                table += Array(tag.utf8) + (start + content.count).bigEndianBytes(4)
                table += value.count.bigEndianBytes(4)
            }
            // Each begins at a multiple of four.
            content += value + [UInt8](repeating: 0, count: -value.count & 3)
        }
        return Self.header(start + content.count) + table + content
    }

    private static func header(_ count: Int) -> [UInt8] {
        var header = count.bigEndianBytes(4) + [0, 0, 0, 0, 4, 0x20, 0, 0]
        header += Array("mntrRGB XYZ ".utf8)
        for part in [2026, 1, 1, 0, 0, 0] { header += part.bigEndianBytes(2) }
        header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28) + fixed(white)
        return header + [UInt8](repeating: 0, count: headerBytes - header.count)
    }

    /// A tag's type and the four bytes that are reserved after it.
    private static func bytes(_ type: String) -> [UInt8] { Array(type.utf8) + [0, 0, 0, 0] }

    private static func xyz(_ numbers: [Double]) -> [UInt8] { bytes("XYZ ") + fixed(numbers) }

    /// A text in one language.
    private static func text(_ text: String) -> [UInt8] {
        let units = text.utf16.flatMap { Int($0).bigEndianBytes(2) }
        return bytes("mluc") + 1.bigEndianBytes(4) + 12.bigEndianBytes(4) + Array("enUS".utf8)
            + units.count.bigEndianBytes(4) + 28.bigEndianBytes(4) + units
    }

    /// Numbers with 16 bits before and 16 after the point.
    private static func fixed(_ numbers: [Double]) -> [UInt8] {
        numbers.flatMap { Int(($0 * 65_536).rounded()).bigEndianBytes(4) }
    }
}
