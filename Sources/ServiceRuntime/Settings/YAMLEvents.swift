import CYAML

/// Runs libyaml over a text.
enum YAMLEvents {
    /// Calls `take` with each event, up to the end or an error. The event is freed after the call.
    /// - Returns: The violation of YAML's syntax after which libyaml cannot go on; nil at the end.
    /// - Throws: What `take` throws, which ends the reading.
    static func read<Failure: Error>(
        _ text: String, _ take: (yaml_event_t) throws(Failure) -> Void
    ) throws(Failure) -> (line: Int, sentence: String)? {
        // It stores its own address, so it must not move.
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else {
            return (1, "there is no memory to read the file")
        }
        defer { yaml_parser_delete(parser) }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        defer { bytes.deallocate() }
        _ = bytes.initialize(fromContentsOf: text.utf8)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
        while true {
            var event = yaml_event_t()
            guard yaml_parser_parse(parser, &event) == 1 else {
                return (line(of: parser.pointee, in: bytes), sentence(of: parser.pointee))
            }
            defer { yaml_event_delete(&event) }
            if event.type == YAML_STREAM_END_EVENT { return nil }
            try take(event)
        }
    }

    /// The line of a syntax error, from 1. Where libyaml knows what it was in the middle of, that
    /// began on the line to look at; a block, though, began far above. For a character that no YAML
    /// may contain, libyaml gives only its offset.
    private static func line(
        of parser: yaml_parser_t, in bytes: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        if parser.error == YAML_READER_ERROR {
            return bytes.prefix(parser.problem_offset).count { $0 == UInt8(ascii: "\n") } + 1
        }
        guard let context = parser.context.map({ String(cString: $0) }),
            !context.hasPrefix("while parsing a block")
        else { return parser.problem_mark.line + 1 }
        return parser.context_mark.line + 1
    }

    private static func sentence(of parser: yaml_parser_t) -> String {
        [parser.context, parser.problem].compactMap { $0.map { String(cString: $0) } }
            .joined(separator: ": ")
    }
}
