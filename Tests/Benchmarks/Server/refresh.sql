SELECT id, account, counter, created_at_ms, used_at_ms, auth_time_ms, proved_at_ms, methods, ended_at_ms, end_reason, rotated_at_ms, device, device_key, proofs, generation FROM session WHERE id = $1
UPDATE session SET counter = $1, used_at_ms = $2, rotated_at_ms = $3 WHERE id = $4 AND counter = $5 AND ended_at_ms IS NULL
INSERT INTO audit (at_ms, kind, account, session, subject, client_address, device, outcome, attempt, actor, app) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
