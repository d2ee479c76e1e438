import Messages
import RPC
import ServiceRuntime

/// The standard health service `grpc.health.v1.Health`, for load balancers and gRPC clients
/// (https://grpc.io/docs/guides/health-checking). The services serve while the
/// gateway is ready: without it this program can answer no call.
struct HealthService: Sendable {
    static let name = "grpc.health.v1.Health"
    /// How often a watched status is read.
    private static let interval: Duration = .seconds(1)
    /// The longest life of one watch; then the client watches again.
    private static let watchTimeout: Duration = .seconds(3_600)

    private let services: Set<String>
    private let isServing: @Sendable () -> Bool
    private let time: any Time

    /// The health of `services`; the name of all of them together is empty.
    init(services: Set<String>, isServing: @escaping @Sendable () -> Bool, time: any Time) {
        self.services = services.union(["", Self.name])
        self.isServing = isServing
        self.time = time
    }

    /// `HealthCheckResponse.ServingStatus`.
    private enum Status: UInt64 {
        case serving = 1
        case notServing = 2
        case serviceUnknown = 3

        /// `HealthCheckResponse`: status = 1.
        var response: [UInt8] {
            var response = FieldWriter()
            response.append(1, .varint(rawValue))
            return response.bytes
        }
    }

    /// The methods, by their descriptors in `schema`.
    func methods(_ schema: Schema) -> [CallMethod] {
        let targets: [(name: String, timeout: Duration, target: CallMethod.Target)] = [
            ("Check", .seconds(10), .unary(check)), ("Watch", Self.watchTimeout, .stream(watch)),
        ]
        return targets.compactMap { own in
            schema.method(named: "\(Self.name)/\(own.name)").map {
                CallMethod($0, timeout: own.timeout, own.target)
            }
        }
    }

    @Sendable private func check(_ request: [UInt8]) throws -> [UInt8] {
        let status = status(try Self.service(request))
        guard status != .serviceUnknown else {
            throw CallFailure(.notFound, "There is no such service here.", violations: ["service"])
        }
        return status.response
    }

    /// Sends the status at once and after each change.
    @Sendable private func watch(
        _ requests: inout RequestMessages, _ response: CallResponse, until deadline: Duration
    ) async throws {
        let service = try Self.service(try await requests.only())
        var sent: Status?
        while time.uptime() < deadline {
            let current = status(service)
            if current != sent { try await response.write(current.response) }
            sent = current
            try await time.sleep(for: min(Self.interval, deadline - time.uptime()))
        }
        throw ServiceError(.deadlineExceeded)
    }

    private func status(_ service: String) -> Status {
        guard services.contains(service) else { return .serviceUnknown }
        return isServing() ? .serving : .notServing
    }

    /// `HealthCheckRequest`: service = 1.
    private static func service(_ request: [UInt8]) throws(MessageError) -> String {
        var scanner = FieldScanner(request[...])
        var service = ""
        while let field = try scanner.next() {
            guard field.number == 1 else { continue }
            guard let text = field.value.text else { throw .invalidText }
            service = text
        }
        return service
    }

    /// The descriptors of the service.
    static var file: [UInt8] {
        var file = DescriptorWriter("grpc/health/v1/health.proto", package: "grpc.health.v1")
        file.message(
            "HealthCheckRequest",
            [DescriptorWriter.Field(number: 1, name: "service", type: .string)])
        file.message(
            "HealthCheckResponse",
            [
                DescriptorWriter.Field(
                    number: 1, name: "status",
                    type: .enumeration("HealthCheckResponse.ServingStatus"))
            ],
            enumeration: (
                "ServingStatus", ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"]
            ))
        let types = (input: "HealthCheckRequest", output: "HealthCheckResponse")
        file.service(
            "Health",
            [
                DescriptorWriter.Method(name: "Check", input: types.input, output: types.output),
                DescriptorWriter.Method(
                    name: "Watch", input: types.input, output: types.output,
                    hasResponseItems: true),
            ])
        return file.fileSet
    }
}

extension ScannedValue {
    /// The text of a field; nil for another type, or if it is not UTF-8.
    var text: String? {
        guard case .bytes(let bytes) = self else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The fields of a message; nil for another type.
    var fields: FieldScanner? {
        guard case .bytes(let bytes) = self else { return nil }
        return FieldScanner(bytes)
    }
}
