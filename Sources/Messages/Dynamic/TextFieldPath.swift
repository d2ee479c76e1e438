/// The place of a text field in messages of one type: the numbers of the fields from the message
/// down to it. It reads the text in an encoded message, takes it out, or puts one in, and leaves all
/// other fields as they are.
package struct TextFieldPath: Hashable, Sendable {
    /// At least one number.
    let numbers: [Int]

    /// The field's text. If the field occurs several times, the last one counts, as in a decoder.
    /// Nil where the field is absent. Nothing else is copied, so that a secret in another field can
    /// still be wiped.
    /// - Throws: `MessageError`.
    package func text(in message: [UInt8]) throws(MessageError) -> String? {
        guard let last = try Self.last(in: message[...], numbers[...]) else { return nil }
        guard let text = String(validating: last, as: UTF8.self) else { throw .invalidText }
        return text
    }

    private static func last(
        in message: ArraySlice<UInt8>, _ numbers: ArraySlice<Int>
    ) throws(MessageError) -> ArraySlice<UInt8>? {
        let inner = numbers.dropFirst()
        var scanner = FieldScanner(message)
        var last: ArraySlice<UInt8>?
        while let field = try scanner.next() {
            guard field.number == numbers.first, case .bytes(let value) = field.value else {
                continue
            }
            if inner.isEmpty {
                last = value
            } else if let found = try Self.last(in: value, inner) {
                last = found
            }
        }
        return last
    }

    /// Takes the field out of an encoded message, wherever it occurs.
    /// - Returns: The message without it, and the field's text. If the field occurs several times,
    ///   the last one counts, as in a decoder. Nil where the field is absent.
    /// - Throws: `MessageError`.
    package func take(
        from message: [UInt8]
    ) throws(MessageError) -> (rest: [UInt8], text: String?) {
        var last: ArraySlice<UInt8>?
        let rest = try Self.rest(of: message[...], numbers[...], &last)
        guard let last else { return (rest, nil) }
        guard let text = String(validating: last, as: UTF8.self) else { throw .invalidText }
        return (rest, text)
    }

    /// The encoded message with `text` in the field. `message` must not contain the field.
    package func put(_ text: String, into message: [UInt8]) -> [UInt8] {
        // A decoder merges the parts of a nested message, wherever they are.
        numbers.reversed().reduce(Array(text.utf8)) { value, number in
            var writer = FieldWriter()
            writer.append(number, .bytes(value[...]))
            return writer.bytes
        } + message
    }

    private static func rest(
        of message: ArraySlice<UInt8>, _ numbers: ArraySlice<Int>, _ last: inout ArraySlice<UInt8>?
    ) throws(MessageError) -> [UInt8] {
        let inner = numbers.dropFirst()
        var scanner = FieldScanner(message)
        var writer = FieldWriter()
        while let field = try scanner.next() {
            guard field.number == numbers.first, case .bytes(let value) = field.value else {
                writer.append(field.number, field.value)
                continue
            }
            if inner.isEmpty {
                last = value
            } else {
                let nested = try rest(of: value, inner, &last)
                writer.append(field.number, .bytes(nested[...]))
            }
        }
        return writer.bytes
    }
}

extension SchemaMessage {
    /// The text field that these names lead to, for example `device` and `device_id`. Nil where
    /// there is none.
    package func textField(at names: [String]) -> TextFieldPath? {
        var type: MessageType? = self.type
        var numbers: [Int] = []
        for (position, name) in names.enumerated() {
            guard let found = type, let index = found.index(named: name) else { return nil }
            let field = found.fields[index]
            numbers.append(field.number)
            switch field.kind {
            case .message(let inner): type = schema.messages[inner]
            case .string where position == names.count - 1:
                return TextFieldPath(numbers: numbers)
            default: return nil
            }
        }
        return nil
    }

    /// All text fields with this name, in the message and in the messages inside it. A type that
    /// contains itself is searched once.
    package func textFields(named name: String) -> [TextFieldPath] {
        Self.textFields(named: name, in: type, of: schema, within: [])
    }

    private static func textFields(
        named name: String, in type: MessageType, of schema: Schema, within outer: [String]
    ) -> [TextFieldPath] {
        guard !outer.contains(type.name) else { return [] }
        return type.fields.flatMap { field -> [TextFieldPath] in
            switch field.kind {
            case .string: field.name == name ? [TextFieldPath(numbers: [field.number])] : []
            case .message(let inner):
                (schema.messages[inner].map {
                    textFields(named: name, in: $0, of: schema, within: outer + [type.name])
                } ?? []).map { TextFieldPath(numbers: [field.number] + $0.numbers) }
            default: []
            }
        }
    }
}

/// A secret text in a message, or in a message inside it.
package struct SecretField: Sendable {
    /// The numbers of the fields from the message down to it.
    package let numbers: [Int]
    /// Its names from the message down: in JSON, in the `.proto`, and mixed.
    package let namings: [[String]]
}

extension SchemaMessage {
    /// All fields with our option `secret`, in the message and in the messages inside it, but not in
    /// lists of messages. A type that contains itself is searched once.
    package var secretFields: [SecretField] { Self.secretFields(of: type, in: schema, within: []) }

    private static func secretFields(
        of type: MessageType, in schema: Schema, within outer: [String]
    ) -> [SecretField] {
        guard !outer.contains(type.name) else { return [] }
        return type.fields.flatMap { field -> [SecretField] in
            let names = Set([field.jsonName, field.name]).sorted()
            if field.isSecret {
                return [SecretField(numbers: [field.number], namings: names.map { [$0] })]
            }
            guard case .message(let name) = field.kind, !field.isRepeated,
                let inner = schema.messages[name]
            else { return [] }
            return secretFields(of: inner, in: schema, within: outer + [type.name]).map { secret in
                SecretField(
                    numbers: [field.number] + secret.numbers,
                    namings: names.flatMap { name in secret.namings.map { [name] + $0 } })
            }
        }
    }
}
