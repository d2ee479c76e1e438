import SwiftProtobuf

/// The descriptors as protoc-gen-c should see them.
///
/// Strings become bytes, because protobuf-c hands strings out as NUL-terminated pointers, unchecked
/// and without their length, and both are the same on the wire. Our options go, because the C code
/// would include a header for `google/protobuf/descriptor.proto` that Debian does not ship.
enum CDescriptors {
    /// `option (pb_c_file) = { gen_pack_helpers: false gen_init_helpers: false }` of
    /// `protobuf-c/protobuf-c.proto`, serialised. Of the six functions that protoc-gen-c writes for a
    /// message none is called: libprotobuf-c reads and writes a message by its descriptor, and
    /// initialises a message without a function for it by its descriptor.
    private static let options: [UInt8] = [0xda, 0x3f, 4, 0x10, 0, 0x18, 0]

    static func stripped(
        _ set: Google_Protobuf_FileDescriptorSet
    ) throws -> Google_Protobuf_FileDescriptorSet {
        var stripped = Google_Protobuf_FileDescriptorSet()
        stripped.file = try set.file
            .filter { !$0.messageType.isEmpty && $0.package.hasPrefix("postern.") }
            .map(Self.stripped)
        return stripped
    }

    private static func stripped(
        _ file: Google_Protobuf_FileDescriptorProto
    ) throws -> Google_Protobuf_FileDescriptorProto {
        var file = file
        file.clearSourceCodeInfo()
        file.options = try Google_Protobuf_FileOptions(serializedBytes: options)
        file.dependency.removeAll { $0 == "postern/options/v1/options.proto" }
        file.service = []
        for message in file.messageType.indices {
            for field in file.messageType[message].field.indices {
                file.messageType[message].field[field].clearOptions()
                if file.messageType[message].field[field].type == .string {
                    file.messageType[message].field[field].type = .bytes
                }
            }
        }
        return file
    }
}
