import Messages
import RPC
import ServiceRuntime

/// The standard reflection service `grpc.reflection.v1.ServerReflection`, and the same under the
/// name that older tools call (`v1alpha`): descriptors of the services that apps may call.
struct ServerReflection: Sendable {
    private static let packages = ["grpc.reflection.v1", "grpc.reflection.v1alpha"]
    /// The names of the services.
    static let names = packages.map { "\($0).ServerReflection" }
    /// The longest life of one stream: its requests must arrive within `WebLimits.bodyTimeout`.
    private static let timeout: Duration = .seconds(30)

    private let services: [String]
    private let index: DescriptorIndex

    /// Describes `services` by their descriptors.
    /// - Throws: `MessageError` for bytes that are not descriptors.
    init(services: [String], fileDescriptorSets: [[UInt8]]) throws {
        self.services = services.sorted()
        index = try DescriptorIndex(fileDescriptorSets)
    }

    /// The methods, by their descriptors in `schema`.
    func methods(_ schema: Schema) -> [CallMethod] {
        Self.names.compactMap { service in
            schema.method(named: "\(service)/ServerReflectionInfo").map {
                CallMethod($0, timeout: Self.timeout, .stream(answer))
            }
        }
    }

    @Sendable private func answer(
        _ requests: inout RequestMessages, _ response: CallResponse, until deadline: Duration
    ) async throws {
        while let request = try await requests.next() {
            try await response.write(try answer(request))
        }
    }

    /// The packed response of one packed request. `ServerReflectionRequest`: host = 1,
    /// file_by_filename = 3, file_containing_symbol = 4, list_services = 7;
    /// `ServerReflectionResponse`: valid_host = 1, original_request = 2.
    /// - Throws: `MessageError` for bytes that are not a request.
    func answer(_ request: [UInt8]) throws -> [UInt8] {
        var scanner = FieldScanner(request[...])
        var response = FieldWriter()
        var result = Result.error(.invalidArgument, "The request asks for nothing.")
        while let field = try scanner.next() {
            let text = field.value.text ?? ""
            switch field.number {
            case 1: response.append(1, .text(text))
            case 3: result = files(index.files(from: text))
            case 4: result = files(index.file(declaring: text).flatMap { index.files(from: $0) })
            case 5, 6: result = .error(.unimplemented, "Extensions are not described.")
            case 7: result = .services
            default: break
            }
        }
        response.append(2, .bytes(request[...]))
        append(result, to: &response)
        return response.bytes
    }

    /// What is found for a request.
    private enum Result {
        case files([[UInt8]])
        case services
        case error(StatusCode, String)
    }

    private func files(_ files: [[UInt8]]?) -> Result {
        files.map { .files($0) } ?? .error(.notFound, "There is no such file or symbol.")
    }

    /// `FileDescriptorResponse` = 4: file_descriptor_proto = 1; `ListServiceResponse` = 6:
    /// service = 1 with name = 1; `ErrorResponse` = 7: error_code = 1, error_message = 2.
    private func append(_ result: Result, to response: inout FieldWriter) {
        var part = FieldWriter()
        switch result {
        case .files(let files):
            for file in files { part.append(1, .bytes(file[...])) }
            response.append(4, .bytes(part.bytes[...]))
        case .services:
            for service in services {
                var name = FieldWriter()
                name.append(1, .text(service))
                part.append(1, .bytes(name.bytes[...]))
            }
            response.append(6, .bytes(part.bytes[...]))
        case .error(let status, let message):
            part.append(1, .varint(UInt64(status.rawValue)))
            part.append(2, .text(message))
            response.append(7, .bytes(part.bytes[...]))
        }
    }

    /// The descriptors of the services, one file for each package.
    static var files: [UInt8] { packages.flatMap(file) }

    private static func file(_ package: String) -> [UInt8] {
        typealias Field = DescriptorWriter.Field
        let path = package.split(separator: ".").joined(separator: "/")
        var file = DescriptorWriter("\(path)/reflection.proto", package: package)
        file.message(
            "ServerReflectionRequest",
            [
                Field(number: 1, name: "host", type: .string),
                Field(number: 3, name: "file_by_filename", type: .string, isInOneof: true),
                Field(number: 4, name: "file_containing_symbol", type: .string, isInOneof: true),
                Field(
                    number: 5, name: "file_containing_extension",
                    type: .message("ExtensionRequest"), isInOneof: true),
                Field(
                    number: 6, name: "all_extension_numbers_of_type", type: .string,
                    isInOneof: true),
                Field(number: 7, name: "list_services", type: .string, isInOneof: true),
            ], oneof: "message_request")
        file.message(
            "ExtensionRequest",
            [
                Field(number: 1, name: "containing_type", type: .string),
                Field(number: 2, name: "extension_number", type: .int32),
            ])
        addResponse(to: &file)
        file.service(
            "ServerReflection",
            [
                DescriptorWriter.Method(
                    name: "ServerReflectionInfo", input: "ServerReflectionRequest",
                    output: "ServerReflectionResponse", hasRequestItems: true,
                    hasResponseItems: true)
            ])
        return file.fileSet
    }

    private static func addResponse(to file: inout DescriptorWriter) {
        typealias Field = DescriptorWriter.Field
        let parts: [(number: UInt64, name: String, type: String)] = [
            (4, "file_descriptor_response", "FileDescriptorResponse"),
            (5, "all_extension_numbers_response", "ExtensionNumberResponse"),
            (6, "list_services_response", "ListServiceResponse"),
            (7, "error_response", "ErrorResponse"),
        ]
        file.message(
            "ServerReflectionResponse",
            [
                Field(number: 1, name: "valid_host", type: .string),
                Field(
                    number: 2, name: "original_request", type: .message("ServerReflectionRequest")),
            ]
                + parts.map {
                    Field(
                        number: $0.number, name: $0.name, type: .message($0.type), isInOneof: true)
                }, oneof: "message_response")
        file.message(
            "FileDescriptorResponse",
            [Field(number: 1, name: "file_descriptor_proto", type: .bytes, isRepeated: true)])
        file.message(
            "ExtensionNumberResponse",
            [
                Field(number: 1, name: "base_type_name", type: .string),
                Field(number: 2, name: "extension_number", type: .int32, isRepeated: true),
            ])
        file.message(
            "ListServiceResponse",
            [
                Field(
                    number: 1, name: "service", type: .message("ServiceResponse"), isRepeated: true)
            ])
        file.message("ServiceResponse", [Field(number: 1, name: "name", type: .string)])
        file.message(
            "ErrorResponse",
            [
                Field(number: 1, name: "error_code", type: .int32),
                Field(number: 2, name: "error_message", type: .string),
            ])
    }
}
