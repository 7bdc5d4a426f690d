"""What servers say in other languages, in the English words that the pattern tables know.

Only phrases that tell what went wrong, in Chinese (both scripts), Japanese, Korean, Spanish, Portuguese, French and German,
and the commonest in Dutch, Italian, Polish, Russian and Turkish. The rest of a text stays as it is: the result is searched for
phrases and shown to nobody.
"""

import bisect
import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

# fmt: off
# English, then the same in other languages, `_` for a space: in other scripts found anywhere, because they put no spaces between
# words or inflect them; in Latin script as whole words, whatever their accents. Where phrases overlap, the longest counts.
_PHRASES: dict[str, str] = {
    # Arguments
    "missing required": "缺少必填 缺少必需 缺少必要 缺失必填 必須パラメータ 필수_매개변수 필수_항목 falta_el_parametro_obligatorio parametre_obligatoire_manquant parametro_obbligatorio_mancante verplichte_parameter_ontbreekt brak_wymaganego zorunlu_parametre_eksik",
    "missing": "缺少 缺失 不足しています 欠けています 누락 falta faltan faltante ausente faltando manquant manquante manque fehlt fehlen fehlende fehlender fehlendes fehlenden mancante mancanti ontbreekt ontbrekende brakuje brakujacy eksik em_falta",
    "is required": "需要 必须传 必填 为必填 為必填 必需 必須です 必要です 指定してください 입력해야 필수입니다 필요합니다 es_obligatorio es_obligatoria es_requerido es_requerida se_requiere obligatorio obligatoria requerido requerida e_obrigatorio e_obrigatoria obrigatorio obrigatoria e_necessario est_requis est_requise doit_contenir deve_conter debe_contener est_obligatoire requis requise obligatoire erforderlich pflichtfeld muss_angegeben_werden wird_benotigt ist_erforderlich sind_erforderlich sao_obrigatorios sao_obrigatorias son_obligatorios sont_obligatoires sont_requis obbligatorio obbligatoria e_richiesto e_richiesta verplicht is_vereist jest_wymagane jest_wymagany jest_wymagana zorunlu zorunludur gereklidir",
    "must provide": "未提供 没有提供 沒有提供 未指定 未传入 请提供 請提供 指定されていません 제공되지 지정되지 no_proporcionado no_se_proporciono nao_fornecido nao_informado non_fourni non_fournie nicht_angegeben 입력해주세요 입력하세요 입력해야_합니다 入力してください informe_o informe_a indique proporcione bitte_angeben veuillez_fournir 请输入 請輸入 请填写 fournissez forneca не_указан не_указано не_указана не_задан 지정해주세요 지정하세요 선택해주세요 必须提供 必須提供",
    "cannot be empty": "不能为空 不可为空 不得为空 不能為空 不可為空 空にできません 비어_있을_수_없 no_puede_estar_vacio no_puede_estar_vacia no_puede_ser_vacio nao_pode_ser_vazio nao_pode_ser_vazia nao_pode_estar_vazio ne_peut_pas_etre_vide ne_doit_pas_etre_vide darf_nicht_leer_sein non_puo_essere_vuoto non_puo_essere_vuota mag_niet_leeg_zijn nie_moze_byc_puste bos_olamaz",
    "must be a": "必须是 必须为 必須是 必須為 应为 應為 でなければなりません である必要があります 이어야_합니다 여야_합니다 debe_ser deben_ser deve_ser devem_ser doit_etre doivent_etre muss_ein muss_eine muss_sein mussen_sein",
    "must be between": "必须在 必須在 範囲で 사이여야 debe_estar_entre deve_estar_entre doit_etre_compris_entre muss_zwischen",
    "must be greater": "必须大于 必須大於 より大きい 보다_커야 debe_ser_mayor deve_ser_maior doit_etre_superieur muss_grosser",
    "must be less": "必须小于 必須小於 より小さい 보다_작아야 debe_ser_menor deve_ser_menor doit_etre_inferieur muss_kleiner",
    "out of range": "超出范围 超出範圍 范围外 範囲外 범위를_벗어 fuera_de_rango fuera_del_rango fora_do_intervalo fora_da_faixa hors_limites hors_de_portee ausserhalb_des_bereichs ausserhalb hors_de 인덱스_초과 범위_초과 索引超出 インデックスが範囲外",
    "invalid parameter": "参数错误 参数无效 参数不正确 参数格式错误 参数非法 无效的参数 无效参数 非法参数 參數錯誤 參數無效 參數格式錯誤 無效的參數 パラメータエラー 引数エラー 引数が不正 パラメータが不正 パラメータが無効 잘못된_매개변수 잘못된_인수 parametro_invalido parametros_invalidos parametre_invalide ungultiger_parameter ungultige_parameter",
    "invalid format": "格式错误 格式不正确 格式无效 格式不对 格式錯誤 格式不正確 形式が不正 形式が正しくありません 形式エラー 형식이_잘못 잘못된_형식 형식이_올바르지 formato_incorrecto formato_invalido formato_no_valido formato_incorreto format_incorrect format_invalide falsches_format ungultiges_format formato_non_valido ongeldig_formaat ongeldige_indeling nieprawidlowy_format gecersiz_bicim",
    "is invalid": "无效 無效 不合法 不正确 不正確 非法 无法识别 無法識別 無効です 無効な 不正です 不正な 正しくありません 유효하지 올바르지 잘못된 invalido invalida invalidos invalidas no_es_valido no_es_valida no_valido no_valida nao_e_valido nao_e_valida invalide invalides non_valide n'est_pas_valide incorrecte ungultig ungultige ungultiger ungultiges ungultigen недопустимый неверный неверная некорректный no_es_correcto no_es_correcta nao_esta_correto non_valido non_valida non_e_valido non_e_valida non_validi ongeldig ongeldige nieprawidlowy nieprawidlowa nieprawidlowe gecersiz gecersizdir",
    "syntax error": "语法错误 語法錯誤 構文エラー 文法エラー 구문_오류 문법_오류 error_de_sintaxis erro_de_sintaxe erreur_de_syntaxe syntaxfehler",
    "could not parse": "解析失败 解析错误 解析出错 无法解析 解析失敗 無法解析 解析できません 解析に失敗 パースに失敗 파싱_실패 분석할_수_없 no_se_pudo_analizar no_se_pudo_interpretar nao_foi_possivel_analisar impossible_d'analyser konnte_nicht_geparst konnte_nicht_gelesen",
    "division by zero": "除数不能为零 除数不能为0 除以零 被零除 除零 ゼロ除算 ゼロで割 0で割 0으로_나눌 division_por_cero dividir_por_cero divisao_por_zero dividir_por_zero division_par_zero diviser_par_zero division_durch_null teilen_durch_null",
    "unknown parameter": "未知参数 未知參數 不明なパラメータ 알_수_없는_매개변수 parametro_desconocido parametro_desconhecido parametre_inconnu unbekannter_parameter",
    "unrecognized": "未知 不明な 알_수_없는 desconocido desconocida desconhecido desconhecida inconnu inconnue unbekannt unbekannte unbekannter unbekanntes неизвестный неизвестная неизвестное неизвестно",
    "unknown error": "未知错误 未知异常 未知錯誤 不明なエラー 알_수_없는_오류 error_desconocido erro_desconhecido erreur_inconnue unbekannter_fehler",
    "not supported": "不支持 不支援 暂不支持 サポートされていません サポートしていません 対応していません 未対応 지원하지 지원되지 no_soportado no_soportada no_compatible no_es_compatible no_se_admite nao_suportado nao_suportada non_pris_en_charge non_prise_en_charge non_supporte non_supportee pas_pris_en_charge nicht_unterstutzt wird_nicht_unterstutzt",
    "not implemented": "未实现 尚未实现 未實作 未実装 実装されていません 구현되지 no_implementado nao_implementado non_implemente nicht_implementiert",
    # Things
    "not found": "未找到 没找到 找不到 沒有找到 無法找到 无法找到 查无 查無 見つかりません 見つからない 見つかりませんでした 찾을_수_없 찾지_못 no_encontrado no_encontrada no_encontrados no_se_encontro no_se_encontraron no_se_ha_encontrado no_fue_encontrado nao_encontrado nao_encontrada nao_encontrados nao_foi_encontrado nao_foi_encontrada introuvable introuvables non_trouve non_trouvee pas_trouve pas_ete_trouve nicht_gefunden konnte_nicht_gefunden_werden 没有找到 не_найден не_найдена не_найдено нет_подтвержденных non_trovato non_trovata non_trovati niet_gevonden kon_niet_worden_gevonden nie_znaleziono nie_odnaleziono bulunamadi",
    "does not exist": "不存在 并不存在 存在しません 存在しない 존재하지 no_existe no_existen nao_existe nao_existem n'existe_pas n'existent_pas existiert_nicht existieren_nicht gibt_es_nicht non_esiste non_esistono bestaat_niet bestaan_niet nie_istnieje nie_istnieja mevcut_degil",
    "unknown tool": "未知工具 未知的工具 不明なツール 알_수_없는_도구 herramienta_desconocida ferramenta_desconhecida outil_inconnu unbekanntes_werkzeug unbekanntes_tool",
    "already exists": "已存在 已经存在 已經存在 既に存在 すでに存在 이미_존재 ya_existe ja_existe existe_deja existiert_bereits bereits_vorhanden gibt_es_bereits esiste_gia bestaat_al bestaat_reeds juz_istnieje zaten_mevcut zaten_var",
    "duplicate": "重复 重複 중복 duplicado duplicada en_double doppelt doppelter dupliziert",
    "conflict": "冲突 衝突 競合 충돌 conflicto conflito conflit konflikt",
    "has been deleted": "已删除 已被删除 已刪除 削除されました 삭제되었습니다 ha_sido_eliminado foi_excluido a_ete_supprime wurde_geloscht",
    # Who may
    "unauthorized": "未授权 未授權 未经授权 未認証 認証されていません 인증되지 no_autorizado no_autorizada nao_autorizado nao_autorizada non_autorise non_autorisee nicht_autorisiert non_autorizzato non_autorizzata niet_geautoriseerd niet_gemachtigd brak_autoryzacji nieautoryzowany yetkisiz_erisim yetkisiz",
    "not logged in": "未登录 未登入 请先登录 請先登入 ログインしていません ログインが必要 로그인이_필요 로그인하지 no_ha_iniciado_sesion inicie_sesion nao_esta_conectado faca_login non_connecte veuillez_vous_connecter nicht_angemeldet",
    "authentication failed": "认证失败 鉴权失败 身份验证失败 登录失败 驗證失敗 認證失敗 登入失敗 認証に失敗 認証エラー ログインに失敗 인증_실패 인증에_실패 로그인_실패 error_de_autenticacion autenticacion_fallida fallo_la_autenticacion falha_na_autenticacao erro_de_autenticacao echec_de_l'authentification authentification_echouee erreur_d'authentification authentifizierung_fehlgeschlagen anmeldung_fehlgeschlagen autenticazione_fallita autenticazione_non_riuscita authenticatie_mislukt verificatie_mislukt uwierzytelnianie_nie_powiodlo_sie kimlik_dogrulama_basarisiz autenticacao_falhou",
    "invalid token": "令牌无效 token无效 无效的令牌 令牌無效 トークンが無効 無効なトークン 유효하지_않은_토큰 token_invalido jeton_invalide ungultiges_token ungultiger_token",
    "invalid api key": "密钥无效 密钥错误 无效的密钥 api_key无效 金鑰無效 apiキーが無効 無効なapiキー 유효하지_않은_api_키 clave_de_api_invalida clave_api_no_valida chave_de_api_invalida cle_api_invalide ungultiger_api-schlussel ak有误 key有误 key无效 apikey无效 등록되지_않은_키",
    "invalid credentials": "凭据无效 用户名或密码错误 帳號或密碼錯誤 資格情報が無効 잘못된_자격_증명 credenciales_invalidas credenciales_no_validas credenciais_invalidas identifiants_invalides ungultige_anmeldedaten usuario_o_contrasena 认证凭据 無效的憑證 usuario_ou_senha nom_d'utilisateur_ou_mot_de_passe benutzername_oder_passwort",
    "wrong password": "密码错误 密碼錯誤 パスワードが違います パスワードが正しくありません 비밀번호가_틀 contrasena_incorrecta senha_incorreta mot_de_passe_incorrect falsches_passwort",
    "token has expired": "已过期 已過期 有効期限が切れ 만료 ha_expirado ha_caducado expirado expirada expirou a_expire est_expire abgelaufen 登录失效 登录已失效 登录过期 会话失效 会话已失效 登入失效 e_scaduto e_scaduta is_verlopen wygasl wygasla suresi_doldu",
    "permission denied": "权限不足 没有权限 无权限 无权 權限不足 沒有權限 無權限 権限がありません 権限が不足 アクセス権 권한이_없 권한_없음 permiso_denegado sin_permiso no_tiene_permiso no_tiene_permisos permissao_negada sem_permissao permission_refusee droits_insuffisants keine_berechtigung keine_rechte berechtigung_verweigert недостаточно_прав доступ_запрещен нет_доступа permesso_negato autorizzazioni_insufficienti geen_toestemming onvoldoende_rechten brak_uprawnien yetkiniz_yok izin_reddedildi",
    "access denied": "拒绝访问 访问被拒绝 禁止访问 拒絕存取 存取被拒 アクセスが拒否 アクセス拒否 접근이_거부 액세스_거부 접근_거부 acceso_denegado acesso_negado acces_refuse acces_interdit zugriff_verweigert accesso_negato toegang_geweigerd brak_dostepu odmowa_dostepu erisim_reddedildi erisim_engellendi",
    "not allowed": "不允许 不允許 不被允许 不可以 被拒绝 被拒絕 許可されていません 허용되지 no_permitido no_permitida no_esta_permitido nao_permitido nao_permitida nao_e_permitido pas_autorise pas_autorisee nicht_erlaubt nicht_gestattet nicht_zulassig",
    "forbidden": "禁止 금지 prohibido proibido interdit interdite verboten vietato verboden zabronione yasak",
    "invalid signature": "签名错误 签名无效 签名不正确 验签失败 簽名錯誤 簽名無效 署名が無効 firma_no_valida assinatura_invalida ungultige_signatur",
    # The server's own
    "not configured": "未配置 没有配置 未設定 尚未配置 设定不足 設定されていません 설정되지 구성되지 no_configurado no_configurada no_esta_configurado nao_configurado nao_configurada non_configure non_configuree nicht_konfiguriert nicht_eingerichtet",
    "bad configuration": "配置错误 設定錯誤 設定エラー 설정_오류 error_de_configuracion erro_de_configuracao erreur_de_configuration konfigurationsfehler",
    "environment variable": "环境变量 環境變數 環境変数 환경_변수 환경변수 variable_de_entorno variavel_de_ambiente variable_d'environnement umgebungsvariable",
    "not set": "未设置 未设定 沒有設定 설정되어_있지 no_definida no_definido non_defini non_definie nicht_gesetzt",
    "not installed": "未安装 没有安装 未安裝 インストールされていません 설치되지 설치되어_있지 no_instalado no_esta_instalado nao_instalado non_installe n'est_pas_installe nicht_installiert",
    "not initialized": "未初始化 初始化失败 初期化されていません 초기화되지 no_inicializado nao_inicializado non_initialise nicht_initialisiert no_esta_inicializado nao_inicializada nao_esta_inicializado",
    # On the way
    "timed out": "连接超时 请求超时 执行超时 超时 逾時 超時 タイムアウト 時間切れ 시간_초과 타임아웃 시간이_초과 tiempo_de_espera_agotado tiempo_agotado se_agoto_el_tiempo tempo_limite_excedido tempo_esgotado delai_d'attente_depasse delai_depasse delai_expire zeituberschreitung zeitlimit_uberschritten время_ожидания превышено_время tempo_scaduto timeout_scaduto tempo_limite_esgotado tempo_limite_atingido tijdslimiet_overschreden przekroczono_limit_czasu uplynal_limit_czasu zaman_asimi",
    "network error": "网络错误 网络异常 網路錯誤 網絡錯誤 ネットワークエラー 通信エラー 네트워크_오류 error_de_red erro_de_rede erreur_reseau netzwerkfehler",
    "connection failed": "连接失败 连接错误 連線失敗 連接失敗 接続に失敗 接続エラー 연결_실패 연결에_실패 error_de_conexion fallo_la_conexion fallo_de_conexion falha_na_conexao erro_de_conexao echec_de_la_connexion erreur_de_connexion verbindung_fehlgeschlagen verbindungsfehler fallo_en_la_conexion",
    "cannot connect": "无法连接 無法連線 無法連接 接続できません 연결할_수_없 no_se_pudo_conectar no_se_puede_conectar nao_foi_possivel_conectar impossible_de_se_connecter connexion_impossible keine_verbindung kann_nicht_verbinden",
    "connection refused": "连接被拒绝 連線被拒 接続が拒否 연결이_거부 연결_거부 conexion_rechazada conexao_recusada connexion_refusee verbindung_abgelehnt verbindung_verweigert",
    "connection was closed": "连接已断开 连接中断 连接已关闭 連線中斷 接続が切断 接続が切れ 연결이_끊 conexion_cerrada conexao_encerrada connexion_fermee verbindung_getrennt verbindung_unterbrochen verbindung_abgebrochen verbindung_wurde_abgebrochen verbindung_wurde_unterbrochen connexion_interrompue conexion_interrumpida conexao_interrompida connessione_interrotta verbinding_verbroken",
    "name resolution": "域名解析失败 名前解決 이름_확인_실패",
    "too many requests": "请求过于频繁 过于频繁 请求太多 請求過多 频率限制 請求次數過多 リクエストが多すぎ 요청이_너무_많 demasiadas_solicitudes demasiadas_peticiones muitas_solicitacoes muitas_requisicoes trop_de_requetes zu_viele_anfragen troppe_richieste te_veel_verzoeken te_veel_aanvragen zbyt_wiele_zadan zbyt_wiele_zapytan cok_fazla_istek",
    "rate limit": "请求频率 限流 速率限制 レート制限 요청_제한 limite_de_tasa limite_de_taxa limite_de_debit ratenlimit レートリミット 回数の上限",
    "try again later": "请稍后再试 请稍后重试 稍后再试 稍後再試 稍後重試 後でもう一度 しばらくしてから 나중에_다시 잠시_후_다시 intentelo_mas_tarde intente_mas_tarde intente_de_nuevo_mas_tarde tente_novamente_mais_tarde tente_mais_tarde reessayez_plus_tard veuillez_reessayer_plus_tard spater_erneut versuchen_sie_es_spater",
    "insufficient balance": "余额不足 餘額不足 残高不足 残高が不足 잔액이_부족 잔액_부족 saldo_insuficiente solde_insuffisant guthaben_reicht_nicht nicht_genugend_guthaben",
    "quota exceeded": "配额已用完 配额不足 超出配额 超過配額 クォータを超え 할당량을_초과 cuota_excedida cota_excedida quota_depasse kontingent_uberschritten 配额超限 配额已满 超出限额 cuota_superada",
    "exceeds the maximum": "超出限制 超过限制 超過限制 超过最大 超過最大 制限を超え 上限を超え 제한을_초과 excede_el_limite supera_el_maximo excede_o_limite depasse_la_limite uberschreitet 上限 超过大小 超出大小 超过大小上限",
    "service unavailable": "服务不可用 服务暂时不可用 服务暂不可用 服務無法使用 サービスは利用できません サービスが利用できません 서비스를_사용할_수_없 servicio_no_disponible servico_indisponivel service_indisponible dienst_nicht_verfugbar servizio_non_disponibile servizio_temporaneamente_non_disponibile dienst_niet_beschikbaar service_niet_beschikbaar usluga_niedostepna usluga_jest_niedostepna hizmet_kullanilamiyor servis_kullanilamiyor",
    "unavailable": "不可用 無法使用 利用できません 사용할_수_없 no_disponible indisponivel indisponible nicht_verfugbar",
    "internal server error": "服务器内部错误 服务器错误 伺服器錯誤 サーバーエラー サーバ内部エラー 서버_오류 error_del_servidor error_interno_del_servidor erro_interno_do_servidor erreur_du_serveur erreur_interne_du_serveur serverfehler interner_serverfehler errore_interno_del_server interne_serverfout wewnetrzny_blad_serwera sunucu_hatasi",
    "internal error": "内部错误 系统错误 內部錯誤 系統錯誤 内部エラー システムエラー 내부_오류 시스템_오류 error_interno erro_interno erreur_interne interner_fehler",
    "database error": "数据库错误 資料庫錯誤 データベースエラー 데이터베이스_오류 error_de_base_de_datos error_de_la_base_de_datos erro_no_banco_de_dados erro_de_banco_de_dados erreur_de_base_de_donnees datenbankfehler",
    # States
    "invalid state": "状态错误 狀態錯誤 状态不正确 状態が不正 잘못된_상태 estado_invalido etat_invalide ungultiger_zustand",
    "is not active": "无法启动 無法執行 未启动 未运行 尚未开始 実行されていません 실행되지 no_esta_activo nao_esta_ativo n'est_pas_actif nicht_aktiv",
    "cannot be deleted": "不允许删除 不能删除 無法刪除 无法删除 削除できません 삭제할_수_없 no_se_puede_eliminar nao_pode_ser_excluido ne_peut_pas_etre_supprime kann_nicht_geloscht_werden",
    "insufficient stock": "库存不足 庫存不足 在庫不足 在庫がありません 재고_부족 재고가_부족 stock_insuficiente existencias_insuficientes estoque_insuficiente stock_insuffisant",
    "insufficient privilege": "privilegios_insuficientes privileges_insuffisants unzureichende_rechte",
    "unique constraint": "restriccion_de_unicidad restricao_de_unicidade contrainte_d'unicite",
    "foreign key": "clave_foranea chave_estrangeira cle_etrangere fremdschlussel",
    "not recognized": "no_reconocido no_reconocida nao_reconhecido nao_reconhecida non_reconnu non_reconnue nicht_erkannt nao_mapeado nao_mapeada nao_definido nao_definida",
    "cannot be": "nao_pode_ser no_puede_ser ne_peut_pas_etre darf_nicht kann_nicht 수_없습니다 수_없음 no_se_puede no_se_pueden 不能为 不能是 不可为 不得为",
    "not in allowlist": "steht_nicht_auf no_esta_en_la_lista_permitida",
    "no result": "无相关结果 没有结果 結果がありません 결과가_없습니다",
    "policy violation": "违规 違規 違反",
    "upstream error": "接口返回异常 接口异常 服务异常 接口错误 接口返回错误",
    "status code": "状态码 狀態碼 ステータスコード 상태_코드 codigo_de_estado codigo_http statuscode",
    "cannot exceed": "不能超过 不得超过 不可超過 不能超過 超过了 no_puede_superar no_puede_exceder nao_pode_exceder ne_peut_pas_depasser",
    "blocked by": "拦截 被拦截 被屏蔽 ブロックされ 차단되었 bloqueado_por bloque_par",
    "error while": "error_al erro_ao erreur_lors fehler_beim fehler_bei",
    "read only mode": "只读模式 只读 唯讀 읽기_전용 読み取り専用 solo_lectura somente_leitura lecture_seule schreibgeschutzt",
    "at most": "最多 至多 最大で 최대",
    "cannot access": "无法访问 無法存取 アクセスできません 접근할_수_없",
    "is not a": "不是 ではありません 아닙니다 n'est_pas_un n'est_pas_une no_es_un no_es_una nao_e_um nao_e_uma ist_kein ist_keine",
    "was cancelled": "已取消 被取消 キャンセルされました 취소되었 cancelado cancelada annule annulee abgebrochen",
    "is disabled": "被禁用 已禁用 已停用 無効化 비활성화 deshabilitado desabilitado desactive deaktiviert",
    "must": "必须 必須 muss mussen debe deben deve devem doit doivent",
    "authentication required": "認証が必要 인증이_필요 需要认证 需要登录 需要驗證 需要身份验证 requiere_autenticacion requer_autenticacao authentification_requise anmeldung_erforderlich",
    "invalid input": "입력_확인_필요 입력_오류 入力エラー 输入错误 輸入錯誤 entrada_invalida entree_invalide ungultige_eingabe",
    "unknown prompt": "未知的prompt 未知提示",
    "is not in": "no_esta_en nao_esta_em n'est_pas_dans ist_nicht_in",
    "only supported": "solo_soporta apenas_suporta 仅支持 僅支援 只支持 만_지원합니다",
    "there is no": "no_hay nao_ha il_n'y_a_pas es_gibt_kein es_gibt_keine 없습니다",
    "system is busy": "系统繁忙 服务繁忙 繁忙 混雑しています 혼잡 sistema_ocupado systeme_occupe system_ausgelastet",
    "empty": "为空 為空 空です 비어있",
    # That there is an error at all
    "error": "错误 錯誤 出错 出錯 エラー 오류 에러 errores erro erros erreur erreurs fehler ошибка errore blad",
    "failed": "失败 失敗 失敗しました 실패 fallo fallida fallido ha_fallado falhou falha echec echoue a_echoue fehlgeschlagen gescheitert できませんでした falha_ao falha_no falha_na no_se_pudo nao_foi_possivel impossible_de konnte_nicht",
    "exception": "异常 異常 例外 예외 excepcion excecao ausnahme",
    # What is spoken of
    "at least": "至少 少なくとも 최소 al_menos ao_menos pelo_menos au_moins mindestens",
    "parameter": "参数 參數 パラメータ 引数 매개변수 인수 parametro parametros parametre parametres",
    "file": "文件 檔案 ファイル 파일 archivo arquivo ficheiro fichier datei",
    "expression": "表达式 表達式 式が 표현식 expresion expressao ausdruck",
    "upstream": "上游 上流",
}
# fmt: on
_WORD = re.compile(r"[^\W\d_]+")
_BLANKS = re.compile(r" {2,}")
_PLAIN = str.maketrans(
    {"\u2019": "'", "\u0131": "i", "\u0142": "l"}
)  # The letters of Turkish and Polish do not come apart.
_MOST = 16_000
_FIRST = 4


@lru_cache(maxsize=8)  # One answer is asked about several times.
def in_english(text: str) -> str:
    """Return a text with the phrases of other languages that tell what went wrong replaced by English ones."""
    text = text[:_MOST]
    if not text.isascii():
        text = text.replace("\uff1a", ": ")
        english = _anywhere().sub(lambda match: f" {_english().get(match[0].lower(), match[0])} ", text)
        text = text if english == text else _BLANKS.sub(" ", english)
    if _first_words().isdisjoint(_WORD.findall(_fold(text))):
        return text
    folded, positions = _fold_by_character(text)
    replaced: list[str] = []
    end = 0
    for match in _as_words().finditer(folded):
        start = bisect.bisect_left(positions, match.start())
        replaced += [text[end:start], _english()[match[0]]]
        end = bisect.bisect_left(positions, match.end())
    return "".join([*replaced, text[end:]])


def _fold_by_character(text: str) -> tuple[str, Sequence[int]]:
    """Return a text in lower case and without accents, and where in it each of its characters begins."""
    if text.isascii():
        return text.lower(), range(len(text) + 1)
    folded = [_fold(char) for char in text]
    return "".join(folded), [*itertools.accumulate(map(len, folded), initial=0)]


def _fold(text: str) -> str:
    """Return a text in lower case and without accents, which many leave out."""
    text = text.casefold()
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def may_open_foreign(text: str) -> bool:
    """Return whether a text may begin in another language: another script, or one of its first words begins a phrase."""
    if not text.isascii():
        return True
    return not _first_words().isdisjoint(text.lower().replace(":", "").split(None, _FIRST)[:_FIRST])


@cache
def _english() -> dict[str, str]:
    """Return the English for every phrase; of a phrase in two rows, the first counts."""
    rows = reversed(_PHRASES.items())
    return {phrase.replace("_", " "): english for english, phrases in rows for phrase in phrases.split()}


@cache
def _anywhere() -> re.Pattern[str]:
    """Return a pattern of the phrases in scripts that put no spaces between words, or inflect them."""
    return re.compile(_choices(phrase for phrase in _english() if not phrase.isascii()), re.IGNORECASE)


@cache
def _as_words() -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){_choices(filter(str.isascii, _english()))}(?!\w)")


def _choices(phrases: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, sorted(phrases, key=len, reverse=True)))})"


@cache
def _first_words() -> frozenset[str]:
    """Return the words that phrases begin with, but for the Spanish `error`: a text without any of them has no phrase."""
    words = (_WORD.findall(phrase.removeprefix("error ")) for phrase in _english() if phrase.isascii())
    return frozenset(first for first, *_ in words)
