import CNGHTTP2
import HTTPTypes

/// One HTTP/2 connection as nghttp2 keeps it: frames, compressed fields, the states and windows of
/// streams, and what RFC 9113 forbids. It does no input or output. No other file uses the library.
///
/// In `receive` and `nextBytes` nghttp2 calls the `HTTP2Connection`. Meanwhile frames may be
/// submitted, but these two functions may not be called again.
final class HTTP2Session {
    /// There was no memory for it.
    struct Unavailable: Error {}

    private let session: OpaquePointer

    /// A server's session; its SETTINGS are the first that `nextBytes` returns.
    /// - Parameter connection: is called by nghttp2, and must own this session.
    /// - Throws: `Unavailable`.
    init(calling connection: HTTP2Connection, _ limits: WebLimits) throws(Unavailable) {
        var callbacks: OpaquePointer?
        var options: OpaquePointer?
        var session: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        nghttp2_option_new(&options)
        defer {
            nghttp2_session_callbacks_del(callbacks)
            nghttp2_option_del(options)
        }
        guard let callbacks, let options else { throw Unavailable() }
        Self.set(callbacks)
        Self.set(options, limits)
        nghttp2_session_server_new2(
            &session, callbacks, Unmanaged.passUnretained(connection).toOpaque(), options)
        guard let session else { throw Unavailable() }
        self.session = session
        submitSettings(limits)
    }

    deinit { nghttp2_session_del(session) }

    private static func set(_ options: OpaquePointer, _ limits: WebLimits) {
        // The window of a stream grows when its body is taken (`consume`).
        nghttp2_option_set_no_auto_window_update(options, 1)
        // Closed streams would be kept for priorities, which are not used.
        nghttp2_option_set_no_closed_streams(options, 1)
        nghttp2_option_set_max_continuations(options, limits.continuationFramesMax)
    }

    private func submitSettings(_ limits: WebLimits) {
        let settings = [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streamsMax),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.streamWindowBytes),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.headerBytesMax),
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
        ].map { nghttp2_settings_entry(settings_id: Int32($0.rawValue), value: UInt32($1)) }
        nghttp2_submit_settings(session, Self.noFlags, settings, settings.count)
        nghttp2_session_set_local_window_size(
            session, Self.noFlags, 0, Int32(8 * limits.streamWindowBytes))
    }

    // MARK: Bytes

    /// Reads bytes from the client.
    /// - Returns: whether they could be read. Violations that RFC 9113 answers with GOAWAY can:
    ///   then `isOver` becomes true.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        nghttp2_session_mem_recv(
            session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
            == bytes.count
    }

    /// The next bytes for the client, valid until the next call of this session; nil for none.
    func nextBytes() -> UnsafeBufferPointer<UInt8>? {
        var start: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(session, &start)
        return count > 0 ? UnsafeBufferPointer(start: start, count: count) : nil
    }

    /// Nothing is to be read or written any more.
    var isOver: Bool {
        nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0
    }

    /// Frames that wait for `nextBytes`, without those that wait for a window.
    var waitingFrames: Int { nghttp2_session_get_outbound_queue_size(session) }

    /// Whether the client has no window for bytes of this stream.
    func isWindowClosed(for stream: Int32) -> Bool {
        nghttp2_session_get_stream_remote_window_size(session, stream) <= 0
            || nghttp2_session_get_remote_window_size(session) <= 0
    }

    // MARK: Frames to the client

    /// Sends the head of a response.
    /// - Parameter hasBody: whether `HTTP2Stream.fill` has the rest; otherwise the response ends.
    func submit(_ head: HTTPResponse, on stream: Int32, hasBody: Bool) {
        Self.withFields(head.headerFields, status: head.status) { fields, count in
            guard hasBody else {
                return nghttp2_submit_response(session, stream, fields, count, nil)
            }
            var provider = Self.provider
            return nghttp2_submit_response(session, stream, fields, count, &provider)
        }
    }

    /// Sends the head of an informational response, such as 100.
    func submitInformational(_ head: HTTPResponse, on stream: Int32) {
        Self.withFields(head.headerFields, status: head.status) { fields, count in
            nghttp2_submit_headers(session, Self.noFlags, stream, nil, fields, count, nil)
        }
    }

    /// There is more for `HTTP2Stream.fill`, which had nothing.
    func resume(_ stream: Int32) { nghttp2_session_resume_data(session, stream) }

    /// Bytes of a body have arrived; the connection's window grows again.
    func received(_ count: Int) { nghttp2_session_consume_connection(session, count) }

    /// Bytes of a body were taken; the stream's window grows again.
    func consume(_ count: Int, of stream: Int32) {
        nghttp2_session_consume_stream(session, stream, count)
    }

    /// Ends a stream.
    func reset(_ stream: Int32, _ code: HTTP2ErrorCode) {
        nghttp2_submit_rst_stream(session, Self.noFlags, stream, code.rawValue)
    }

    /// Sends a PING, whose answer has the same mark.
    func ping(_ mark: UInt8) {
        nghttp2_submit_ping(session, Self.noFlags, [mark, 0, 0, 0, 0, 0, 0, 0])
    }

    /// Gives a stream its turn after each frame of another one. By the default of RFC 9218 the
    /// oldest stream would send as long as it has something, and the others nothing.
    func takeTurns(_ stream: Int32) {
        var priority = nghttp2_extpri(urgency: UInt32(NGHTTP2_EXTPRI_DEFAULT_URGENCY), inc: 1)
        nghttp2_session_change_extpri_stream_priority(session, stream, &priority, 1)
    }

    /// Tells the client to open no more streams. Those on their way are still answered.
    func submitShutdownNotice() { nghttp2_submit_shutdown_notice(session) }

    /// Accepts no more streams.
    func submitGoAway() {
        nghttp2_submit_goaway(
            session, Self.noFlags, nghttp2_session_get_last_proc_stream_id(session),
            HTTP2ErrorCode.noError.rawValue, nil, 0)
    }

    /// Ends the connection with an error.
    func terminate(_ code: HTTP2ErrorCode) {
        nghttp2_session_terminate_session(session, code.rawValue)
    }

    // MARK: Fields

    private static let noFlags = UInt8(NGHTTP2_FLAG_NONE.rawValue)

    /// Passes fields on as nghttp2 has them; it copies them.
    private static func withFields(
        _ fields: HTTPFields, status: HTTPResponse.Status?,
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Int32
    ) {
        var text: [UInt8] = []
        var sizes: [(name: Int, value: Int, flags: nghttp2_nv_flag)] = []
        text.reserveCapacity(512)
        sizes.reserveCapacity(fields.count + 1)
        func add(_ name: String, _ value: String, _ flags: nghttp2_nv_flag) {
            text.append(contentsOf: name.utf8)
            text.append(contentsOf: value.utf8)
            sizes.append((name.utf8.count, value.utf8.count, flags))
        }
        if let status { add(":status", String(status.code), NGHTTP2_NV_FLAG_NONE) }
        for field in fields {
            // No proxy may keep it in a table, where an attacker who sees lengths could guess it
            // (RFC 7541, 7.1.3).
            let isSecret = field.indexingStrategy == .disallow || field.name == .setCookie
            add(
                field.name.canonicalName, field.value,
                isSecret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE)
        }
        text.withUnsafeMutableBufferPointer { text in
            var start = text.baseAddress
            let pairs = sizes.map { size in
                let value = start?.advanced(by: size.name)
                defer { start = value?.advanced(by: size.value) }
                return nghttp2_nv(
                    name: start, value: value, namelen: size.name, valuelen: size.value,
                    flags: UInt8(size.flags.rawValue))
            }
            // An error is memory that is missing, or a stream that is closed.
            _ = pairs.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }

    // MARK: Calls by nghttp2

    private static func set(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
            HTTP2Session.notify(user, frame) { connection, frame in
                if frame.headers.cat == NGHTTP2_HCAT_REQUEST {
                    connection.streamOpened(frame.hd.stream_id)
                }
            }
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameCount, value, valueCount, _, user in
            guard let connection = HTTP2Session.connection(user), let frame,
                connection.received(
                    UnsafeBufferPointer(start: name, count: nameCount),
                    UnsafeBufferPointer(start: value, count: valueCount),
                    isTrailer: frame.pointee.headers.cat != NGHTTP2_HCAT_REQUEST,
                    on: frame.pointee.hd.stream_id)
            else { return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
            HTTP2Session.notify(user, frame) { connection, frame in
                HTTP2Session.received(frame, by: connection)
            }
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            _, _, stream, data, count, user in
            HTTP2Session.connection(user)?.received(
                UnsafeRawBufferPointer(start: data, count: count), on: stream)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, user in
            HTTP2Session.connection(user)?.streamClosed(stream)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, user in
            HTTP2Session.notify(user, frame) { connection, frame in
                HTTP2Session.sent(frame, by: connection)
            }
        }
    }

    private static func connection(_ user: UnsafeMutableRawPointer?) -> HTTP2Connection? {
        user.map { Unmanaged<HTTP2Connection>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func notify(
        _ user: UnsafeMutableRawPointer?, _ frame: UnsafePointer<nghttp2_frame>?,
        _ body: (HTTP2Connection, borrowing nghttp2_frame) -> Void
    ) -> Int32 {
        if let connection = connection(user), let frame { body(connection, frame.pointee) }
        return 0
    }

    private static func received(_ frame: borrowing nghttp2_frame, by connection: HTTP2Connection) {
        let (stream, isLast) = (frame.hd.stream_id, isLast(frame.hd))
        switch UInt32(frame.hd.type) {
        case NGHTTP2_HEADERS.rawValue:
            if frame.headers.cat == NGHTTP2_HCAT_REQUEST { connection.headReceived(on: stream) }
            if isLast { connection.requestEnded(on: stream) }
        case NGHTTP2_DATA.rawValue:
            if isLast {
                connection.requestEnded(on: stream)
            } else if frame.hd.length <= frame.data.padlen {
                connection.controlFrameReceived()
            }
        case NGHTTP2_RST_STREAM.rawValue: connection.resetReceived()
        case NGHTTP2_PING.rawValue where isAcknowledgement(frame.hd):
            connection.pingAnswered(frame.ping.opaque_data.0)
        case NGHTTP2_SETTINGS.rawValue where isAcknowledgement(frame.hd): break
        case NGHTTP2_PING.rawValue, NGHTTP2_SETTINGS.rawValue:
            connection.controlFrameReceived()
        default: break
        }
    }

    private static func sent(_ frame: borrowing nghttp2_frame, by connection: HTTP2Connection) {
        switch UInt32(frame.hd.type) {
        case NGHTTP2_GOAWAY.rawValue:
            // The notice has the highest number (RFC 9113, 6.8).
            if frame.goaway.last_stream_id == .max { connection.shutdownNoticeSent() }
            connection.goAwaySent(HTTP2ErrorCode(rawValue: frame.goaway.error_code))
        case NGHTTP2_RST_STREAM.rawValue:
            connection.resetSent(HTTP2ErrorCode(rawValue: frame.rst_stream.error_code))
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            if isLast(frame.hd) { connection.responseEnded(on: frame.hd.stream_id) }
        default: break
        }
    }

    private static func isLast(_ head: nghttp2_frame_hd) -> Bool {
        UInt32(head.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0
    }

    private static func isAcknowledgement(_ head: nghttp2_frame_hd) -> Bool {
        UInt32(head.flags) & NGHTTP2_FLAG_ACK.rawValue != 0
    }

    /// Reads the body of a response from `HTTP2Stream.fill`.
    private static var provider: nghttp2_data_provider {
        nghttp2_data_provider(source: nghttp2_data_source()) {
            session, id, buffer, size, flags, _, user in
            guard let flags, let stream = HTTP2Session.connection(user)?.stream(id) else {
                return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
            }
            let (count, isEnd) = stream.fill(
                UnsafeMutableRawBufferPointer(start: buffer, count: size))
            guard isEnd else {
                return count > 0 ? count : Int(NGHTTP2_ERR_DEFERRED.rawValue)
            }
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            if let trailers = stream.trailers {
                flags.pointee |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue
                HTTP2Session.withFields(trailers, status: nil) { fields, count in
                    nghttp2_submit_trailer(session, id, fields, count)
                }
            }
            return count
        }
    }
}

/// Limits frames of a client that cost work without making progress: so many in 30 s.
struct FrameBudget {
    static let seconds = 30
    let framesMax: Int
    private var began = Duration.zero
    private var count = 0

    init(_ framesMax: Int) {
        self.framesMax = framesMax
    }

    /// Whether one more frame at `uptime` is within the budget.
    mutating func allows(at uptime: Duration) -> Bool {
        if uptime - began >= .seconds(Self.seconds) {
            began = uptime
            count = 0
        }
        count += 1
        return count <= framesMax
    }
}
