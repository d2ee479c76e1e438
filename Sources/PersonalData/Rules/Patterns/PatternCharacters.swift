/// A set of characters (Unicode scalars) of a pattern.
struct PatternCharacters: Sendable {
    /// The part of the set for one of Unicode's categories, `\p{Lu}` or `\P{L}`.
    struct Category: Sendable {
        let categories: Set<Unicode.GeneralCategory>
        let isComplement: Bool
    }

    /// The first and the last character of each range.
    var ranges: [ClosedRange<UInt32>] = []
    var categories: [Category] = []
    /// The set contains all others.
    var isComplement = false

    /// One character.
    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    /// A set that is empty until it has ranges and categories.
    init() {}

    /// `.`: all characters but the ends of lines (RFC 9485, 5.3).
    static let anyInLine: PatternCharacters = {
        var characters = PatternCharacters()
        characters.ranges = [0x0A...0x0A, 0x0D...0x0D]
        characters.isComplement = true
        return characters
    }()

    /// Whether the set contains a character.
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let isListed =
            ranges.contains { $0.contains(scalar.value) }
            || categories.contains {
                $0.categories.contains(scalar.properties.generalCategory) != $0.isComplement
            }
        return isListed != isComplement
    }
}

extension PatternCharacters.Category {
    /// The category of `\p{name}`. Nil for a name that RFC 9485 does not have.
    init?(name: String, isComplement: Bool) {
        let categories = Self.names.filter { $0.name.hasPrefix(name) }.map(\.category)
        guard (1...2).contains(name.utf8.count), !categories.isEmpty else { return nil }
        self.categories = Set(categories)
        self.isComplement = isComplement
    }

    /// The first letter alone stands for all that begin with it.
    private static let names: [(name: String, category: Unicode.GeneralCategory)] = [
        ("Ll", .lowercaseLetter), ("Lm", .modifierLetter), ("Lo", .otherLetter),
        ("Lt", .titlecaseLetter), ("Lu", .uppercaseLetter),
        ("Mc", .spacingMark), ("Me", .enclosingMark), ("Mn", .nonspacingMark),
        ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber),
        ("Pc", .connectorPunctuation), ("Pd", .dashPunctuation), ("Pe", .closePunctuation),
        ("Pf", .finalPunctuation), ("Pi", .initialPunctuation), ("Po", .otherPunctuation),
        ("Ps", .openPunctuation),
        ("Zl", .lineSeparator), ("Zp", .paragraphSeparator), ("Zs", .spaceSeparator),
        ("Sc", .currencySymbol), ("Sk", .modifierSymbol), ("Sm", .mathSymbol),
        ("So", .otherSymbol),
        ("Cc", .control), ("Cf", .format), ("Cn", .unassigned), ("Co", .privateUse),
    ]
}
