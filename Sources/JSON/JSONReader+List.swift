extension JSONReader {
    /// Finds the objects of `{"name": [{…}, …]}` without reading them. Each is JSON only if
    /// `value(in:at:_:)` says so.
    ///
    /// For large texts from outside, whose values would take many times their bytes.
    /// - Parameters:
    ///   - name: The name of the text's only member.
    ///   - countMax: The largest number of objects.
    /// - Returns: The range of each object in `bytes`.
    /// - Throws: `JSONError`.
    package static func objects(
        ofList name: String, in bytes: [UInt8], countMax: Int
    ) throws(JSONError) -> [Range<Int>] {
        var reader = JSONReader(bytes: bytes, at: bytes.indices, options: Options())
        try reader.takeMark("{")
        reader.skipSpace()
        guard reader.next == UInt8(ascii: "\""), try reader.string() == name else {
            throw reader.error("the member \(name) is missing")
        }
        try reader.takeMark(":")
        let objects = try reader.objects(countMax: countMax)
        try reader.takeMark("}")
        try reader.finish()
        return objects
    }

    private mutating func objects(countMax: Int) throws(JSONError) -> [Range<Int>] {
        try takeMark("[")
        skipSpace()
        if take(UInt8(ascii: "]")) { return [] }
        var objects: [Range<Int>] = []
        repeat {
            guard objects.count < countMax else { throw error("too many objects") }
            objects.append(try skipObject())
            skipSpace()
        } while take(UInt8(ascii: ","))
        try takeMark("]")
        return objects
    }

    /// Advances past space and `mark`.
    private mutating func takeMark(_ mark: Unicode.Scalar) throws(JSONError) {
        skipSpace()
        guard take(UInt8(ascii: mark)) else { throw error("\(mark) is missing") }
    }

    /// Advances past the object that is next. Brackets are only counted, so that no nesting is too
    /// deep for the stack.
    private mutating func skipObject() throws(JSONError) -> Range<Int> {
        skipSpace()
        guard next == UInt8(ascii: "{") else { throw error("an object is missing") }
        let start = position
        var depth = 0
        while let byte = takeByte() {
            switch byte {
            case UInt8(ascii: "\""): try skipRestOfString()
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return start..<position }
            default: break
            }
        }
        throw error("an object has no end")
    }

    /// Advances past the closing quote of the string that has begun.
    private mutating func skipRestOfString() throws(JSONError) {
        while let byte = takeByte() {
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"): _ = takeByte()
            default: break
            }
        }
        throw error("a string has no end")
    }
}
