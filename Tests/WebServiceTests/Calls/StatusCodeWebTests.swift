import HTTPTypes
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Status codes in Connect and HTTP")
struct StatusCodeWebTests {
    /// The table of https://connectrpc.com/docs/protocol#error-codes.
    private static let table: [(StatusCode, String, Int)] = [
        (.cancelled, "canceled", 499), (.unknown, "unknown", 500),
        (.invalidArgument, "invalid_argument", 400),
        (.deadlineExceeded, "deadline_exceeded", 504), (.notFound, "not_found", 404),
        (.alreadyExists, "already_exists", 409), (.permissionDenied, "permission_denied", 403),
        (.resourceExhausted, "resource_exhausted", 429),
        (.failedPrecondition, "failed_precondition", 400), (.aborted, "aborted", 409),
        (.outOfRange, "out_of_range", 400), (.unimplemented, "unimplemented", 501),
        (.internal, "internal", 500), (.unavailable, "unavailable", 503),
        (.dataLoss, "data_loss", 500), (.unauthenticated, "unauthenticated", 401),
    ]

    @Test("each code has Connect's name and status", arguments: table)
    func codes(code: StatusCode, name: String, status: Int) {
        #expect(code.connectName == name)
        #expect(code.httpStatus.code == status)
    }

    @Test("the table has every code but ok")
    func all() {
        #expect(Set(Self.table.map(\.0)) == Set(StatusCode.allCases).subtracting([.ok]))
        #expect(StatusCode.ok.httpStatus.code == 200)
    }
}
