import Foundation
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// What a service's methods promise, and its descriptors for reflection.
struct DescriptionCode {
    private static let options = "postern/options/v1/options.proto"
    private let service: ServiceDescriptor
    private let files: [Google_Protobuf_FileDescriptorProto]

    init(_ service: ServiceDescriptor, files: [Google_Protobuf_FileDescriptorProto]) {
        self.service = service
        self.files = files
    }

    var text: String {
        let names = service.methods.map { escaped(lowerCamel($0.name)) }
        return """
            /// What `\(service.fullName)` promises.
            package enum \(service.name)Description {
            \(service.methods.map(constant).joined())\
                /// The service.
                package static let service = ServiceDescription(
                    name: "\(service.fullName)",
                    methods: [
                        \(names.joined(separator: ",\n            ")),
                    ],
            \(errors)\
                    fileDescriptorSet: \"\"\"
            \(encodedFiles)
                        \"\"\")
            }

            """
    }

    /// The codes of the `errors:` lines, by the methods' full names; nothing if there are none.
    private var errors: String {
        let entries = service.methods.map { method in
            let codes = errorCodes(method.protoSourceComments(commentPrefix: "")).joined()
            guard !codes.isEmpty else { return "" }
            return """
                            "\(service.fullName)/\(method.name)": [
                \(codes.map { "                \"\($0)\",\n" }.joined())\
                            ],

                """
        }.joined()
        return entries.isEmpty ? "" : "        errors: [\n\(entries)        ],\n"
    }

    private func constant(_ method: MethodDescriptor) -> String {
        let options = MethodOptions(method)
        let hedge = options.hedgeAfterMilliseconds.map {
            ",\n            hedgeAfter: .milliseconds(\($0))"
        }
        let streams = method.streams == .none ? "" : ", streams: .\(method.streams)"
        let lane = options.isCostly ? ", isCostly: true" : ""
        let callers =
            options.isForNamedCallersOnly
            ? ",\n            isForNamedCallersOnly: true" : ""
        let hasSecrets = method.inputType.hasSecrets ? ",\n            hasSecrets: true" : ""
        let isPublic = options.isPublic ? ",\n            isPublic: true" : ""
        let ends = (hedge ?? "") + callers + hasSecrets + isPublic
        return """
                /// `\(method.name)`.
                package static let \(escaped(lowerCamel(method.name))) = MethodDescription(
                    name: "\(service.fullName)/\(method.name)",
                    isIdempotent: \(options.isIdempotent),
                    timeout: .milliseconds(\(options.timeoutMilliseconds)),
                    isOnLoop: \(options.isOnLoop)\(streams)\(lane)\(ends))


            """
    }

    /// The service's file and all that it imports, without comments, in base64 lines. Our options
    /// stay behind, and with them protobuf's description of itself, the larger part of the bytes.
    private var encodedFiles: String {
        var set = Google_Protobuf_FileDescriptorSet()
        set.file = neededFiles.map { file in
            var file = file
            file.clearSourceCodeInfo()
            file.dependency.removeAll { $0 == Self.options }
            return file
        }
        guard let bytes: Data = try? set.serializedData() else {
            fatalError("\(service.fullName): its descriptors cannot be written")
        }
        let text = bytes.base64EncodedString()
        return stride(from: 0, to: text.count, by: 76).map { start in
            let line = text.dropFirst(start).prefix(76)
            return "            \(line)\(start + 76 < text.count ? "\\" : "")"
        }.joined(separator: "\n")
    }

    /// What is imported stands before what imports it, as `protoc` has it.
    private var neededFiles: [Google_Protobuf_FileDescriptorProto] {
        var needed: [Google_Protobuf_FileDescriptorProto] = []
        func need(_ name: String) {
            guard !needed.contains(where: { $0.name == name }),
                let file = files.first(where: { $0.name == name })
            else { return }
            file.dependency.filter { $0 != Self.options }.forEach(need)
            needed.append(file)
        }
        need(service.file.name)
        return needed
    }
}
