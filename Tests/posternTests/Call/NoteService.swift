import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime

/// A service with a method of each kind, and reflection that describes it:
///
///     message Note { string text = 1; }
///     service Notes {
///       rpc Say(Note) returns (Note);
///       rpc Spell(Note) returns (stream Note);
///       rpc Join(stream Note) returns (Note);
///       rpc Echo(stream Note) returns (stream Note);
///     }
struct NoteService: ReflectionService {
    /// Encoded like a `Note`.
    private typealias Note = ReflectionV1.DescribeServiceRequest

    static let name = "postern.notes.v1.Notes"

    static let methods = ServiceMethods(
        ServiceDescription(name: name, methods: [], fileDescriptors: []),
        [
            .async(method("Say", .none)) { (note: Note, _) in
                guard note.service != "no" else { throw ServiceError(.tooManyRequests) }
                return note
            },
            // Sends each letter; "!" fails after the letters before it.
            .serverStream(method("Spell", .response)) {
                (note: Note, letters: OutgoingItems<Note>, _) in
                for letter in note.service {
                    guard letter != "!" else { throw ServiceError(.tooManyRequests) }
                    try await letters.write(Note(service: String(letter)))
                }
            },
            // Joins all items; "stop" is the last item that it reads.
            .clientStream(method("Join", .request)) { (notes: IncomingItems<Note>, _) in
                var texts: [String] = []
                for try await note in notes {
                    texts.append(note.service)
                    if note.service == "stop" { break }
                }
                return Note(service: texts.joined(separator: "+"))
            },
            .bidirectional(method("Echo", .both)) {
                (notes: IncomingItems<Note>, answers: OutgoingItems<Note>, _) in
                for try await note in notes { try await answers.write(note) }
            },
        ])

    func listServices(
        _ request: ReflectionV1.ListServicesRequest, _ context: CallContext
    ) throws -> ReflectionV1.ListServicesResponse {
        ReflectionV1.ListServicesResponse(services: [Self.name])
    }

    func describeService(
        _ request: ReflectionV1.DescribeServiceRequest, _ context: CallContext
    ) throws -> ReflectionV1.DescribeServiceResponse {
        ReflectionV1.DescribeServiceResponse(fileDescriptorSet: Descriptor.set)
    }

    private static func method(
        _ own: String, _ streams: MethodDescription.Streams
    ) -> MethodDescription {
        MethodDescription(
            name: "\(name)/\(own)", isIdempotent: false, timeout: .seconds(10), isOnLoop: false,
            streams: streams)
    }
}

/// The service's `FileDescriptorSet`; the field numbers are those of `descriptor.proto`.
private enum Descriptor {
    static let set = field(1, file)

    private static let file =
        field(1, "notes.proto") + field(2, "postern.notes.v1") + field(4, note)
        + field(6, service) + field(12, "proto3")
    // string text = 1: label 4 is optional, type 5 is a string (9).
    private static let note =
        field(1, "Note") + field(2, field(1, "text") + [0x18, 1, 0x20, 1, 0x28, 9])
    private static let service =
        field(1, "Notes") + method("Say") + method("Spell", [0x30, 1])
        + method("Join", [0x28, 1]) + method("Echo", [0x28, 1, 0x30, 1])

    private static func method(_ name: String, _ streaming: [UInt8] = []) -> [UInt8] {
        let type = ".postern.notes.v1.Note"
        return field(2, field(1, name) + field(2, type) + field(3, type) + streaming)
    }

    private static func field(_ number: UInt8, _ text: String) -> [UInt8] {
        field(number, Array(text.utf8))
    }

    private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        let count = bytes.count
        let length = count < 128 ? [UInt8(count)] : [UInt8(count & 127 | 128), UInt8(count >> 7)]
        return [number << 3 | 2] + length + bytes
    }
}
