import Messages
import RPC
import ServiceRuntime
import Storage

extension OutboxHandler {
    /// Lists messages, the newest first.
    func listMessages(
        _ request: NotificationV1.ListMessagesRequest, _ context: CallContext
    ) async throws -> NotificationV1.ListMessagesResponse {
        try context.requireOperator()
        let (filter, now) = (try MessageFilter(request), time.now())
        let (page, next) = try await store.read { try $0.messages(filter, at: now) }
        return NotificationV1.ListMessagesResponse(
            messages: page, nextPage: next?.text ?? "")
    }
}

/// The filter of a list of messages.
struct MessageFilter: Sendable {
    /// Messages on one page.
    static let pageSizes = 1...500
    private static let pageSizeDefault = 50

    let state: Int64?
    let channel: Channel?
    let template: String?
    let recipient: String?
    let pageSize: Int
    /// Only messages older than this one; nil for no such limit.
    let before: MessageID?

    /// Validates a request.
    /// - Throws: `rpc/invalid-argument` with the fields at fault.
    init(_ request: NotificationV1.ListMessagesRequest) throws(ServiceError) {
        state = try Self.state(request.state)
        channel = try Self.channel(request.channel)
        template = request.template.isEmpty ? nil : request.template
        recipient = request.recipient.isEmpty ? nil : MaskedRecipient.masked(request.recipient)
        pageSize = request.pageSize == 0 ? Self.pageSizeDefault : Int(request.pageSize)
        before = MessageID(text: request.page)
        guard Self.pageSizes.contains(pageSize) else {
            throw ServiceError(.invalidArgument, fields: ["page_size"])
        }
        guard request.page.isEmpty || before != nil else {
            throw ServiceError(.invalidArgument, fields: ["page"])
        }
    }

    private static func state(
        _ state: NotificationV1.MessageState
    ) throws(ServiceError) -> Int64? {
        switch state {
        case .unspecified: nil
        case .queued, .sending, .waiting, .sent, .dead: Int64(state.rawValue) - 1
        case .unrecognized: throw ServiceError(.invalidArgument, fields: ["state"])
        }
    }

    private static func channel(
        _ channel: NotificationV1.MessageChannel
    ) throws(ServiceError) -> Channel? {
        if channel == .unspecified { return nil }
        guard let known = Channel(rawValue: Int64(channel.rawValue)) else {
            throw ServiceError(.invalidArgument, fields: ["channel"])
        }
        return known
    }
}
