import SwiftProtobufPluginLibrary

/// What a service's methods promise, and its descriptors for reflection.
struct DescriptionCode {
    private let service: ServiceDescriptor
    private let files: FileDescriptorsFile

    init(_ service: ServiceDescriptor, files: FileDescriptorsFile) {
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
            \(list("methods", names)),
            \(errors)\
            \(list("fileDescriptors", files.constants(for: service))))
            }

            """
    }

    /// An argument, in one line if it fits.
    private func list(_ name: String, _ elements: [String]) -> String {
        let line = "        \(name): [\(elements.joined(separator: ", "))]"
        guard line.count >= 99 else { return line }
        return """
                    \(name): [
            \(elements.map { "            \($0),\n" }.joined())\
                    ]
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
        let session =
            [.unspecified, .none].contains(options.session)
            ? "" : ",\n            session: .\(options.session)"
        let owner = options.owner.map { ",\n            owner: .\($0)" } ?? ""
        let limit = options.limit.map { ",\n            limit: .\($0)" } ?? ""
        let repeats =
            errorCodes(method.protoSourceComments(commentPrefix: "")).joined()
                .contains("auth/idempotency-key-reused")
            ? ",\n            remembersRepeats: true" : ""
        let ends =
            (hedge ?? "") + callers + hasSecrets + isPublic + session + repeats + owner + limit
        return """
                /// `\(method.name)`.
                package static let \(escaped(lowerCamel(method.name))) = MethodDescription(
                    name: "\(service.fullName)/\(method.name)",
                    isIdempotent: \(options.isIdempotent),
                    timeout: .milliseconds(\(options.timeoutMilliseconds)),
                    isOnLoop: \(options.isOnLoop)\(streams)\(lane)\(ends))


            """
    }
}
