import SwiftProtobufPluginLibrary

/// The Swift enumeration of one enum.
struct EnumCode {
    private let type: EnumDescriptor

    init(_ type: EnumDescriptor) {
        self.type = type
    }

    var text: String {
        """
        extension \(type.file.namespace) {
        \(docComment(type.protoSourceComments(commentPrefix: ""), indent: "    "))\
            \(type.file.access) enum \(type.name): Hashable, Sendable {
        \(cases)\
                /// A value that this version does not know.
                case unrecognized(Int32)

                /// The value's number.
                \(type.file.access) var rawValue: Int32 {
                    switch self {
        \(lines { "case .\(escaped($0)): \($1)" })\
                    case .unrecognized(let number): number
                    }
                }

                /// The value of that number.
                \(type.file.access) init(rawValue: Int32) {
                    switch rawValue {
        \(lines { "case \($1): self = .\(escaped($0))" })\
                    default: self = .unrecognized(rawValue)
                    }
                }
            }
        }

        """
    }

    private var cases: String {
        type.values.map { value in
            docComment(value.protoSourceComments(commentPrefix: ""), indent: "        ")
                + "        case \(escaped(type.caseName(value)))\n"
        }.joined()
    }

    private func lines(_ line: (_ name: String, _ number: Int32) -> String) -> String {
        type.values.map { "            \(line(type.caseName($0), $0.number))\n" }.joined()
    }
}
