import Contracts
import Messages
import RPC

/// What a call is charged before it is passed on (`postern.options.v1.limit`).
struct RelayedCharge {
    /// The charge of the call, which a repeat shares.
    let action: LimitedAction
    /// The units of `DocumentWork` that the request shows; 0 where a call costs none.
    var units = 0
    /// How many of them are part of `action`.
    var paid: Int { min(units, 1) }
}

extension MethodDescription {
    /// The charge of an account's call, by its request alone; nil for a method without a limit.
    /// - Throws: `MessageError` for a request that does not decode.
    func charge(
        for account: String, _ request: OutgoingRequest.Payload
    ) throws -> RelayedCharge? {
        switch limit {
        case .documentWrite: try .documentWrite(of: account, self, request)
        case nil: nil
        }
    }
}

extension RelayedCharge {
    fileprivate static func documentWrite(
        of account: String, _ method: MethodDescription, _ request: OutgoingRequest.Payload
    ) throws -> RelayedCharge {
        let writes: [GatewayV1.DocumentWrite]
        switch method {
        case DocumentsDescription.writeDocument:
            let request: GatewayV1.WriteDocumentRequest = try request.decoded()
            writes = request.write.map { [$0] } ?? []
        case DocumentsDescription.writeDocuments:
            let request: GatewayV1.WriteDocumentsRequest = try request.decoded()
            writes = request.writes
        default:
            let request: GatewayV1.RemoveDocumentRequest = try request.decoded()
            return RelayedCharge(
                action: .documentWrite(account: account, collections: [request.collection]))
        }
        return RelayedCharge(
            action: .documentWrite(
                account: account, collections: writes.map(\.collection), units: 1),
            units: DocumentWork.units(of: writes.lazy.map(\.json.utf8.count)))
    }
}

extension OutgoingRequest.Payload {
    fileprivate func decoded<Request: ProtobufMessage>() throws -> Request {
        try withBytes { try Request.decode($0, in: Arena()) }
    }
}
