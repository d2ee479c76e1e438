import Foundation
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// Reads a descriptor set and writes what the project keeps of it:
///
///     generator DESCRIPTOR_SET OUTPUT_ROOT
///
/// - `OUTPUT_ROOT/Sources/Messages/Generated`: a Swift value for each message,
/// - `OUTPUT_ROOT/Sources/Contracts/Generated`: protocol, client and dispatcher for each service, and
///   the descriptors of their files,
/// - `OUTPUT_ROOT/Sources/PosternClient/Generated`: the public calls of the gateway's services,
/// - `OUTPUT_ROOT/Sources/COpenAPI/Generated`: the web service's OpenAPI document,
/// - `OUTPUT_ROOT/Sources/CMessages/layouts.c` and its header: the layouts of the messages,
/// - `OUTPUT_ROOT/Tests/MessagesTests/Generated`: the list of all messages.
///
/// The code of each part:
///
///     Restrictions                   what protos may not use; checked first
///     MessagesFile                   the values of one .proto
///       EnumCode
///       MessageCode, FieldCode       a message as a struct
///         MessageWireCode            its way from and to the wire
///           WireFieldCode            that of one field
///     ServiceFile                    a service: protocol, client, dispatcher
///       ServicePart              what one program implements of it
///       MethodCode
///       DescriptionCode              what its methods promise
///     ServiceList                    the names of all services
///     FileDescriptorsFile            descriptors for reflection
///     PublicCalls                    for PosternClient
///     OpenAPIDocument                for apps: OpenAPIPaths, OpenAPISchemas, as JSONText
///     MessageLayouts                 C, for libprotobuf-c
///     MessageTypesFile               for tests
///
/// All of them use Names and Options (`postern/options/v1/options.proto`).
@main
struct Generator {
    static func main() throws {
        guard CommandLine.arguments.count == 3 else {
            FileHandle.standardError.write(
                Data("usage: generator DESCRIPTOR_SET OUTPUT_ROOT\n".utf8))
            exit(64)
        }
        let input = try Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1]))
        let root = URL(fileURLWithPath: CommandLine.arguments[2])
        let set = try Google_Protobuf_FileDescriptorSet(serializedBytes: input)
        let files = DescriptorSet(protos: set.file).files
            .filter { $0.package.hasPrefix("postern.") }
        refuse(Restrictions.complaints(about: files))
        for file in files where !file.messages.isEmpty {
            try write(
                MessagesFile(file).text,
                to: root.appending(path: "Sources/Messages/Generated/\(file.swiftName).swift"))
        }
        let services = files.flatMap(\.services)
        let descriptors = FileDescriptorsFile(set.file)
        try write(
            descriptors.text(for: services),
            to: root.appending(path: "Sources/Contracts/Generated/FileDescriptors.swift"))
        try write(
            ServiceList(services).text,
            to: root.appending(path: "Sources/Contracts/Generated/ServiceList.swift"))
        for service in services {
            let text = ServiceFile(service, files: descriptors).text
            try write(
                text, to: root.appending(path: "Sources/Contracts/Generated/\(service.name).swift"))
            guard service.file.isPublic else { continue }
            try write(
                PublicCalls(service).text,
                to: root.appending(
                    path: "Sources/PosternClient/Generated/\(service.name)Calls.swift"))
        }
        try write(
            OpenAPIDocument(files).text,
            to: root.appending(path: "Sources/COpenAPI/Generated/openapi.json"))
        let layouts = MessageLayouts(files)
        let c = root.appending(path: "Sources/CMessages")
        try write(layouts.header, to: c.appending(path: "include/postern/layouts.h"))
        try write(layouts.source, to: c.appending(path: "layouts.c"))
        try write(
            MessageTypesFile(files).text,
            to: root.appending(path: "Tests/MessagesTests/Generated/AllMessages.swift"))
    }

    /// Ends the program if there is anything to complain about.
    private static func refuse(_ complaints: [String]) {
        guard !complaints.isEmpty else { return }
        let text = complaints.map { "error: \($0)\n" }.joined()
        FileHandle.standardError.write(Data(text.utf8))
        exit(65)
    }

    private static func write(_ text: String, to url: URL) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }
}
