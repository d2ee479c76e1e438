/// Reads the grammar of I-Regexp (RFC 9485, section 3). `^` and `$` are ordinary characters in it,
/// and there are no back-references, assertions and lazy repetitions.
struct PatternParser {
    /// The largest number in a repetition: more would be refused as too many states anyway.
    private static let repetitionsMax = 1_000

    private let scalars: [Unicode.Scalar]
    private var position = 0

    /// The expression of a pattern. Nesting takes a stack frame for each of its characters, so the
    /// caller limits the length.
    /// - Throws: `PatternError`.
    static func expression(of text: String) throws(PatternError) -> PatternExpression {
        var parser = PatternParser(scalars: Array(text.unicodeScalars))
        let expression = try parser.expression()
        guard parser.next == nil else { throw parser.error("a ) has no (") }
        return expression
    }

    private init(scalars: [Unicode.Scalar]) { self.scalars = scalars }

    /// `branch *( "|" branch )`
    private mutating func expression() throws(PatternError) -> PatternExpression {
        var branches = [try branch()]
        while take("|") { branches.append(try branch()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func branch() throws(PatternError) -> PatternExpression {
        var pieces: [PatternExpression] = []
        while let next, next != "|", next != ")" { pieces.append(try repeated(try atom())) }
        return pieces.count == 1 ? pieces[0] : .sequence(pieces)
    }

    private mutating func atom() throws(PatternError) -> PatternExpression {
        guard let scalar = takeNext() else { throw error("a character is missing") }
        switch scalar {
        case "(":
            let inner = try expression()
            guard take(")") else { throw error("a ( has no )") }
            return inner
        case ".": return .scalar(.anyInLine)
        case "[": return .scalar(try characterClass())
        case "\\": return .scalar(try escape())
        case "*", "+", "?", "{": throw error("nothing precedes the \(scalar)")
        case "]", "}": throw error("\\ is missing before the \(scalar)")
        default: return .scalar(PatternCharacters(scalar))
        }
    }

    // MARK: Repetitions

    private mutating func repeated(
        _ atom: PatternExpression
    ) throws(PatternError) -> PatternExpression {
        if take("*") { return .repetition(atom, least: 0, most: nil) }
        if take("+") { return .repetition(atom, least: 1, most: nil) }
        if take("?") { return .repetition(atom, least: 0, most: 1) }
        guard take("{") else { return atom }
        let least = try number()
        var most: Int? = least
        if take(",") { most = next == "}" ? nil : try number() }
        guard take("}") else { throw error("a { has no }") }
        if let most, most < least { throw error("the second number of {} is the smaller one") }
        return .repetition(atom, least: least, most: most)
    }

    private mutating func number() throws(PatternError) -> Int {
        var number: Int?
        while let digit = next?.value, (0x30...0x39).contains(digit) {
            position += 1
            number = (number ?? 0) * 10 + Int(digit - 0x30)
            guard number ?? 0 <= Self.repetitionsMax else {
                throw error("a repetition is more than \(Self.repetitionsMax)")
            }
        }
        guard let number else { throw error("a number is missing after the {") }
        return number
    }

    // MARK: Characters

    /// `"[" [ "^" ] ( "-" / CCE1 ) *CCE1 [ "-" ] "]"`, after the bracket.
    private mutating func characterClass() throws(PatternError) -> PatternCharacters {
        var characters = PatternCharacters()
        characters.isComplement = take("^")
        if take("-") {
            characters.ranges.append(0x2D...0x2D)
        } else {
            try takeElement(into: &characters)
        }
        while !take("]") {
            if next == "-", following == "]" {
                position += 1
                characters.ranges.append(0x2D...0x2D)
            } else {
                try takeElement(into: &characters)
            }
        }
        return characters
    }

    /// A character, a range of them, or a category.
    private mutating func takeElement(
        into characters: inout PatternCharacters
    ) throws(PatternError) {
        if next == "\\", following == "p" || following == "P" {
            position += 1
            characters.categories += try escape().categories
            return
        }
        let first = try classCharacter()
        guard next == "-", following != "]" else {
            return characters.ranges.append(first.value...first.value)
        }
        position += 1
        let last = try classCharacter()
        guard first <= last else { throw error("the range \(first)-\(last) is backwards") }
        characters.ranges.append(first.value...last.value)
    }

    private mutating func classCharacter() throws(PatternError) -> Unicode.Scalar {
        switch takeNext() {
        case nil: throw error("a [ has no ]")
        case "\\":
            guard let scalar = takeNext().flatMap(Self.escaped) else {
                throw error("an unknown escape")
            }
            return scalar
        case .some(let scalar) where "-[]".unicodeScalars.contains(scalar):
            throw error("\\ is missing before the \(scalar) inside []")
        case .some(let scalar): return scalar
        }
    }

    /// What follows a backslash.
    private mutating func escape() throws(PatternError) -> PatternCharacters {
        guard let scalar = takeNext() else { throw error("a character is missing after the \\") }
        if scalar == "p" || scalar == "P" {
            return try category(isComplement: scalar == "P")
        }
        guard let character = Self.escaped(scalar) else {
            throw error("\\\(scalar) is unknown; for example [0-9] stands for a digit")
        }
        return PatternCharacters(character)
    }

    private mutating func category(
        isComplement: Bool
    ) throws(PatternError) -> PatternCharacters {
        guard take("{") else { throw error("\\p needs a category, for example \\p{L}") }
        var name = ""
        while let scalar = next, scalar != "}" {
            position += 1
            name.unicodeScalars.append(scalar)
        }
        guard take("}") else { throw error("a { has no }") }
        guard let category = PatternCharacters.Category(name: name, isComplement: isComplement)
        else { throw error("\"\(name)\" is no category; \\p{L} stands for letters") }
        var characters = PatternCharacters()
        characters.categories = [category]
        return characters
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        case "(", ")", "*", "+", "-", ".", "?", "[", "\\", "]", "^", "{", "|", "}": scalar
        default: nil
        }
    }

    // MARK: Reading

    private var next: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    private var following: Unicode.Scalar? {
        position + 1 < scalars.count ? scalars[position + 1] : nil
    }

    private mutating func takeNext() -> Unicode.Scalar? {
        guard let scalar = next else { return nil }
        position += 1
        return scalar
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private func error(_ sentence: String) -> PatternError {
        PatternError(sentence: "\(sentence) (at character \(position))")
    }
}
