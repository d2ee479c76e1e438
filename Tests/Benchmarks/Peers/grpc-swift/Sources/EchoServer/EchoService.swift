import GRPCCore
import GRPCProtobuf
import SwiftProtobuf

/// Answers every call with the same message.
struct EchoService: Postern_Benchmark_V1_Echo.SimpleServiceProtocol {
    private static let tokenBytes = 110

    private let answer = Postern_Benchmark_V1_EchoResponse.with {
        $0.accountID = "acc_0123456789abcdefghjkmnpqr"
        $0.tokens = .with {
            $0.sessionID = "ses_0123456789abcdefghjkmnpqr"
            $0.accessExpiresAtMs = 1_700_000_900_000
            $0.idleExpiresAtMs = 1_700_604_800_000
        }
    }

    func call(
        request: Postern_Benchmark_V1_EchoRequest, context: ServerContext
    ) async throws -> Postern_Benchmark_V1_EchoResponse {
        guard request.refreshToken.utf8.count == Self.tokenBytes else {
            throw RPCError(code: .invalidArgument, message: "not the benchmark's request")
        }
        return answer
    }
}
